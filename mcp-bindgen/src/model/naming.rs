//! Rust names for everything; what had one keeps it.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use syn::ext::IdentExt;

use super::ir::{Def, Defs, Feature, Id, Model, Shape};
use crate::code::names::{ident, pascal, snake};
use crate::snapshot::{Names, TypeNames};

/// Names that generated code uses itself.
const TYPES: &str = "Box Call CallToolResult Clone Client Debug Default Deref Deserialize \
    Deserializer Err Error From GetPromptRequest Into IntoIterator Iterator JsonObject Map None Ok \
    Option OrderedMap PartialEq ReadResourceRequest Result Self Serialize Serializer Some String \
    TypedCall Value Vec";

/// Methods of the server's type that are no tools.
const METHODS: [&str; 2] = ["prompts", "resources"];

/// Names in one scope.
struct Scope {
    taken: HashSet<String>,
    /// What stands between a name and its number.
    separator: &'static str,
}

impl Scope {
    fn new<'a>(separator: &'static str, reserved: impl IntoIterator<Item = &'a str>) -> Self {
        let taken = reserved.into_iter().map(str::to_owned).collect();
        Self { taken, separator }
    }

    /// Takes the first candidate that is free, or the last one with a number.
    fn take(&mut self, candidates: impl IntoIterator<Item = String>) -> String {
        let candidates: Vec<_> = candidates.into_iter().collect();
        let last = candidates.last().cloned().unwrap_or_default();
        let separator = self.separator;
        let numbered = (2_u64..).map(|number| format!("{last}{separator}{number}"));
        let mut all = candidates.into_iter().chain(numbered);
        let free = all.find(|name| self.taken.insert(name.clone()));
        free.unwrap_or_default()
    }

    /// Names `keys` in their order: those of `earlier` first, which keep their names.
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

/// Whether a recorded name can stand in code as it is.
fn is_name(name: &str) -> bool {
    ident(name).unraw() == name
}

/// A name in lower case with underscores; `other` where the text has none.
fn lower(text: &str, other: &str) -> String {
    usable(snake(text), other, "n", "_value")
}

/// A name in camel case; `other` where the text has none.
fn upper(text: &str, other: &str) -> String {
    usable(pascal(text), other, "N", "Value")
}

/// A name with something before it that begins with a digit, or after it that is no raw identifier.
fn usable(name: String, other: &str, before: &str, after: &str) -> String {
    match name.as_str() {
        "" => other.to_owned(),
        "crate" | "self" | "super" | "Self" => name + after,
        _ if name.starts_with(|c: char| c.is_ascii_digit()) => format!("{before}{name}"),
        _ => name,
    }
}

/// Names all of a model, and gives fields and variants the order of their names.
pub(crate) fn name(model: &mut Model, server: &str, earlier: &Names) -> Names {
    let server = upper(server, "Server");
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
    for (id, def) in &mut model.defs {
        let name = given
            .remove(id)
            .unwrap_or_else(|| match of_methods.remove(id) {
                Some(name) => types.take([name]),
                None => types.take(candidates(def)),
            });
        let record = TypeNames {
            at: def.places.clone(),
            names: name_members(def, earlier.types.get(&name)),
        };
        names.types.insert(name, record);
    }
}

/// The types that have a name, by one of their places.
fn recorded(defs: &Defs, types: &mut Scope, earlier: &Names) -> HashMap<Id, String> {
    let mut given: HashMap<Id, String> = HashMap::new();
    // A place has several types where a union is an alternative of another one.
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

/// Whether a type without a title is the output of a tool, and not part of arguments as well.
fn is_output(def: &Def) -> bool {
    let first = def.places.first();
    def.title.is_none() && first.is_some_and(|place| place.ends_with("/outputSchema"))
}

/// Names for a type: its title, or the last name on the way to it; then with the tool before it.
fn candidates(def: &Def) -> [String; 2] {
    // The shortest way has the most general name.
    let shortest = def.places.iter().min_by_key(|place| {
        let is_wrapped = place.ends_with("/properties/result");
        (is_wrapped, place.matches('/').count())
    });
    let place = shortest.map(String::as_str).unwrap_or_default();
    let (tool, path) = place.split_once('/').unwrap_or(("", place));
    let steps: Vec<_> = path.split('/').collect();
    let is_name = |index: &usize| {
        let before = index.checked_sub(1).map(|index| steps[index]);
        matches!(before, Some("properties" | "$defs" | "definitions"))
    };
    let named = (0..steps.len()).rev().find(is_name);
    let last = named.map_or("", |index| steps[index]);
    let is_item = named.is_some_and(|index| steps[index..].contains(&"items"));
    let last = if is_item {
        singular(last)
    } else {
        last.to_owned()
    };
    let plain = upper(def.title.as_deref().unwrap_or(&last), "Object");
    let full = upper(&format!("{tool} {plain}"), "Object");
    [plain, full]
}

/// `day` for `days`.
fn singular(word: &str) -> String {
    let is_one = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) if !is_one => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Names the fields or variants of a type, and puts them in the order of their names.
fn name_members(def: &mut Def, earlier: Option<&TypeNames>) -> IndexMap<String, String> {
    let earlier = earlier.map(|record| &record.names);
    match &mut def.shape {
        Shape::Struct(it) => {
            let mut scope = Scope::new("_", it.extra.as_ref().map(|_| "extra"));
            let key = |wire: &str| lower(wire, "member");
            in_order(
                &mut it.fields,
                |it| &it.0,
                |it| key(&it.0),
                &mut scope,
                earlier,
            )
        }
        Shape::Enum(values) => {
            let mut scope = Scope::new("", ["Unknown"]);
            in_order(values, |it| &it.0, |it| variant(&it.0), &mut scope, earlier)
        }
        Shape::Tagged { variants, .. } => {
            let mut scope = Scope::new("", ["Unknown"]);
            // A variant is known by the first of its values.
            let name = |it: &(Vec<String>, _)| variant(&it.0.join(" or "));
            in_order(variants, |it| &it.0[0], name, &mut scope, earlier)
        }
        Shape::Kinds(_) => IndexMap::new(),
    }
}

/// Names `members` by their keys, and sorts them by the order of these names.
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
