//! Chooses the Rust names. Names that were recorded earlier do not change.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use syn::ext::IdentExt;

use super::ir::{Def, Defs, Feature, Field, Id, Model, Shape, Type};
use crate::code::names::{ident, pascal, snake};
use crate::snapshot::{Names, TypeNames};

/// Names that generated code itself uses, also for generic parameters.
const TYPES: &str = "BTreeMap Box Call CallToolResult Clone Client D Debug Default Deref Deserialize \
    Deserializer Err Error From GetPromptRequest Into IntoIterator Iterator JsonObject Map None Ok \
    Option OrderedMap PartialEq ReadResourceRequest Result S Self Serialize Serializer Some String T \
    TypedCall Value Vec";

/// Methods of the server's type that are not tools.
const METHODS: [&str; 2] = ["prompts", "resources"];

struct Scope {
    taken: HashSet<String>,
    /// The last number that was appended to a name.
    numbers: HashMap<String, u64>,
    separator: &'static str,
}

impl Scope {
    fn new<'a>(separator: &'static str, reserved: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            taken: reserved.into_iter().map(str::to_owned).collect(),
            numbers: HashMap::new(),
            separator,
        }
    }

    /// Takes the first candidate that is free, or else appends a number to the last one.
    fn take(&mut self, candidates: impl IntoIterator<Item = String>) -> String {
        let mut last = String::new();
        for name in candidates {
            if self.taken.insert(name.clone()) {
                return name;
            }
            last = name;
        }
        let number = self.numbers.entry(last.clone()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{last}{}{number}", self.separator);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Names `keys` in order. Keys in `earlier` come first, and keep their names.
    fn name<'a>(
        &mut self,
        earlier: Option<&IndexMap<String, String>>,
        keys: impl IntoIterator<Item = (&'a str, String)>,
    ) -> IndexMap<String, String> {
        let mut keys: IndexMap<&str, String> = keys.into_iter().collect();
        let mut names = IndexMap::new();
        for (key, name) in earlier.into_iter().flatten() {
            if keys.contains_key(key.as_str()) && is_name(name) && self.taken.insert(name.clone()) {
                keys.shift_remove(key.as_str());
                names.insert(key.clone(), name.clone());
            }
        }
        for (key, candidate) in keys {
            names.insert(key.to_owned(), self.take([candidate]));
        }
        names
    }
}

/// Whether a recorded name is a valid identifier as it is.
fn is_name(name: &str) -> bool {
    ident(name).unraw() == name
}

/// A name in snake case, or `other` if `text` has no usable characters.
fn lower(text: &str, other: &str) -> String {
    usable(snake(text), other, "n", "_value")
}

/// A name in camel case, or `other` if `text` has no usable characters.
fn upper(text: &str, other: &str) -> String {
    usable(pascal(text), other, "N", "Value")
}

/// Adds `before` to a name that starts with a digit, and `after` to a keyword that can't be a raw
/// identifier.
fn usable(name: String, other: &str, before: &str, after: &str) -> String {
    match name.as_str() {
        "" => other.to_owned(),
        "crate" | "self" | "super" | "Self" => name + after,
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("{before}{name}"),
        _ => name,
    }
}

/// Names everything in a model, and sorts fields and variants in the order of the recorded names.
pub(crate) fn name(model: &mut Model, server: &str, earlier: &Names) -> Names {
    let mut server = upper(server, "Server");
    if TYPES.split_whitespace().any(|name| name == server) {
        server += "Server";
    }
    let own = ["Prompts", "Resources", ""].map(|part| format!("{server}{part}"));
    let types = TYPES.split(' ').chain(own.iter().map(String::as_str));
    let methods = |feature, reserved: &[&'static str], other| {
        let methods = model.of(feature);
        let keys = methods.map(|it| (it.key.as_str(), lower(&it.name, other)));
        Scope::new("_", reserved.iter().copied()).name(Some(earlier.of(feature)), keys)
    };
    let mut names = Names {
        tools: methods(Feature::Tool, &METHODS, "tool"),
        prompts: methods(Feature::Prompt, &[], "prompt"),
        resource_templates: methods(Feature::Template, &[], "resource"),
        types: IndexMap::new(),
        server: server.clone(),
    };
    name_types(model, Scope::new("", types), earlier, &mut names);
    names
}

fn name_types(model: &mut Model, mut types: Scope, earlier: &Names, names: &mut Names) {
    let mut given = recorded(&model.defs, &mut types, earlier);
    let sent = model.reached(model.arguments());
    let mut of_methods = of_methods(model, names);
    let variants = variants(&model.defs);
    // Types of arguments come before types of results, and types nearer to a tool come before
    // others. Variants come after their unions.
    let mut order: Vec<_> = model.defs.iter().collect();
    order.sort_by_key(|(id, def)| {
        let is_variant = variants.contains_key(*id);
        let is_last = is_variant && !matches!(def.shape, Shape::Tagged { .. });
        let is_received = !sent.contains(*id);
        (is_variant, is_last, is_received, distance(shortest(def)))
    });
    let names_sent = given.iter().filter(|(id, _)| sent.contains(id));
    let mut names_sent: HashSet<_> = names_sent.map(|(_, name)| name.clone()).collect();
    for (id, def) in order {
        if given.contains_key(id) {
            continue;
        }
        let of_union = variants.get(id).and_then(|(union, variant)| {
            let union = given.get(union)?;
            let plain = union.strip_suffix("Output").unwrap_or(union);
            Some(format!("{plain}{variant}"))
        });
        let name = of_methods.remove(id).or(of_union);
        let mut names = name.map_or_else(|| candidates(def), |it| vec![it]);
        if !sent.contains(id) && names_sent.contains(&names[0]) {
            names.iter_mut().for_each(|name| name.push_str("Output"));
        }
        let name = types.take(names);
        if sent.contains(id) {
            names_sent.insert(name.clone());
        }
        given.insert(*id, name);
    }
    for (id, def) in &mut model.defs {
        let name = given.remove(id).unwrap_or_default();
        let record = TypeNames {
            at: def.places.clone(),
            names: name_members(def, earlier.types.get(&name)),
        };
        names.types.insert(name, record);
    }
}

/// The names for arguments, and for outputs without a title.
fn of_methods(model: &Model, names: &Names) -> HashMap<Id, String> {
    let mut of_methods: HashMap<Id, String> = HashMap::new();
    for method in &model.methods {
        let (name, suffix) = match method.feature {
            Feature::Tool => (&names.tools[&method.key], ""),
            Feature::Prompt => (&method.name, "Prompt"),
            Feature::Template => (&method.name, "Resource"),
        };
        let name = upper(name, "Tool");
        let output = method.output.as_ref().and_then(|output| output.ty.id());
        if let Some(id) = output.filter(|id| is_output(&model.defs[id])) {
            of_methods.entry(id).or_insert(format!("{name}Output"));
        }
        if let Some(id) = method.arguments.id() {
            let name = name.strip_suffix(suffix).unwrap_or(&name);
            of_methods.insert(id, format!("{name}{suffix}Arguments"));
        }
    }
    of_methods
}

/// The types that already have a recorded name, found by one of their places.
fn recorded(defs: &Defs, types: &mut Scope, earlier: &Names) -> HashMap<Id, String> {
    let mut given: HashMap<Id, String> = HashMap::new();
    // A place has several types if a union is an alternative of another union.
    let mut by_place: HashMap<&str, Vec<Id>> = HashMap::new();
    for (id, def) in defs {
        for place in &def.places {
            by_place.entry(place).or_default().push(*id);
        }
    }
    for (name, record) in &earlier.types {
        let places = record.at.iter().map(String::as_str);
        let mut ids = places.filter_map(|place| by_place.get(place)).flatten();
        let free = ids.find(|id| !given.contains_key(*id)).copied();
        if let Some(id) = free.filter(|_| is_name(name) && types.taken.insert(name.clone())) {
            given.insert(id, name.clone());
        }
    }
    given
}

/// Whether a type has no title, and its first place is the output of a tool.
fn is_output(def: &Def) -> bool {
    let first = def.places.first();
    def.title.is_none() && first.is_some_and(|place| place.ends_with("/outputSchema"))
}

/// The untitled types that are variants of a union, with the union and the name of the variant.
fn variants(defs: &Defs) -> HashMap<Id, (Id, String)> {
    let mut variants = HashMap::new();
    for (union, def) in defs {
        let named: Vec<_> = match &def.shape {
            Shape::Tagged { variants, .. } => {
                let name = |values: &[String]| variant(&values.join(" or "));
                let variants = variants.iter();
                variants.map(|it| (it.1.id(), name(&it.0))).collect()
            }
            Shape::Kinds(types) => {
                let named = |ty: &Type| match ty {
                    Type::List(item) => (item.id(), "Item".to_owned()),
                    _ => (ty.id(), format!("{:?}", Type::kind(ty, defs))),
                };
                types.iter().map(named).collect()
            }
            _ => Vec::new(),
        };
        for (id, name) in named {
            if let Some(id) = id.filter(|id| defs[id].title.is_none()) {
                variants.entry(id).or_insert((*union, name));
            }
        }
    }
    variants
}

/// The place nearest to its tool, which gives the most general name.
fn shortest(def: &Def) -> &str {
    let places = def.places.iter().map(String::as_str);
    let shortest = places.min_by_key(|it| (it.ends_with("/properties/result"), distance(it)));
    shortest.unwrap_or_default()
}

fn distance(place: &str) -> usize {
    place.matches('/').count()
}

/// Candidates for the name of a type: its title or the last name on its path, then the same with
/// the tool's name in front.
fn candidates(def: &Def) -> Vec<String> {
    let place = shortest(def);
    let schemas = ["/inputSchema", "/outputSchema"].into_iter();
    let parts = schemas.filter_map(|schema| place.split_once(schema));
    let parts = parts.min_by_key(|(tool, _)| tool.len());
    let (tool, path) = parts.unwrap_or(("", place));
    let steps: Vec<_> = path.split('/').collect();
    let is_name = |index: &usize| {
        let before = index.checked_sub(1).map(|index| steps[index]);
        matches!(before, Some("properties" | "$defs" | "definitions"))
    };
    let named = (0..steps.len()).rev().find(is_name);
    let rest = &steps[named.map_or(0, |index| index + 1)..];
    let mut items = ["items", "prefixItems", "additionalProperties"].iter();
    let is_item = items.any(|it| rest.contains(it));
    let last = named.map(|index| steps[index]);
    let is_wrapper = is_item && place.contains("/outputSchema/properties/result/");
    let last = last.filter(|last| !(is_wrapper && *last == "result"));
    let last = last.map(|last| {
        if is_item {
            singular(last)
        } else {
            last.to_owned()
        }
    });
    let plain = def.title.clone().or(last).map(|it| upper(&it, "Object"));
    let own = plain
        .as_deref()
        .unwrap_or(if is_item { "Item" } else { "Object" });
    let full = upper(&format!("{tool} {own}"), "Object");
    plain.into_iter().chain([full]).collect()
}

/// The singular of a word, such as `day` for `days`.
fn singular(word: &str) -> String {
    let is_one = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) if !is_one => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Names the fields or variants of a type, and sorts them in the order of the names.
fn name_members(def: &mut Def, earlier: Option<&TypeNames>) -> IndexMap<String, String> {
    let earlier = earlier.map(|record| &record.names);
    match &mut def.shape {
        Shape::Struct(it) => {
            let mut scope = Scope::new("_", it.extra.as_ref().map(|_| "extra"));
            let name = |it: &(String, Field)| lower(&it.0, "member");
            in_order(&mut it.fields, |it| &it.0, name, &mut scope, earlier)
        }
        Shape::Enum(values) => {
            let mut scope = Scope::new("", ["Unknown"]);
            in_order(values, |it| &it.0, |it| variant(&it.0), &mut scope, earlier)
        }
        Shape::Tagged { variants, .. } => {
            let mut scope = Scope::new("", ["Unknown"]);
            // The first value of a variant identifies it.
            let name = |it: &(Vec<String>, _)| variant(&it.0.join(" or "));
            in_order(variants, |it| &it.0[0], name, &mut scope, earlier)
        }
        Shape::Kinds(_) => IndexMap::new(),
    }
}

/// Names `members` by their keys, and sorts them in the order of the names.
fn in_order<T>(
    members: &mut [T],
    key: impl Fn(&T) -> &str,
    name: impl Fn(&T) -> String,
    scope: &mut Scope,
    earlier: Option<&IndexMap<String, String>>,
) -> IndexMap<String, String> {
    let names = scope.name(earlier, members.iter().map(|it| (key(it), name(it))));
    members.sort_by_cached_key(|it| names.get_index_of(key(it)));
    names
}

fn variant(wire: &str) -> String {
    upper(wire, if wire.is_empty() { "Empty" } else { "Value" })
}
