//! Rust names for everything; what had one keeps it.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use syn::ext::IdentExt;

use super::ir::{Def, Id, Model, Shape, TextEntry, Type};
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
        let mut last = String::new();
        for candidate in candidates {
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
            last = candidate;
        }
        let numbers = 2_u64..;
        let mut numbered = numbers.map(|number| format!("{last}{}{number}", self.separator));
        let free = numbered.find(|name| self.taken.insert(name.clone()));
        free.unwrap_or(last)
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
pub(crate) fn lower(text: &str, other: &str) -> String {
    let name = snake(text);
    match name.as_str() {
        "" => other.to_owned(),
        "crate" | "self" | "super" => format!("{name}_value"),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("n{name}"),
        _ => name,
    }
}

/// A name in camel case; `other` where the text has none.
pub(crate) fn upper(text: &str, other: &str) -> String {
    let name = pascal(text);
    match name.as_str() {
        "" => other.to_owned(),
        "Self" => "SelfValue".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("N{name}"),
        _ => name,
    }
}

/// Names all of a model, and gives fields and variants the order of their names.
pub(crate) fn name(model: &mut Model, server: &str, earlier: &Names) -> Names {
    let server = upper(server, "Server");
    let own = ["Prompts", "Resources"].map(|part| format!("{server}{part}"));
    let own = own.iter().chain([&server]).map(String::as_str);
    let mut types = Scope::new("", TYPES.split(' ').chain(own));
    let mut methods = Scope::new("_", METHODS);
    let tools = model
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), lower(&tool.name, "tool")));
    let tools = methods.name(Some(&earlier.tools), tools);
    let entries = |entries: &[TextEntry], earlier, other| {
        let keys = entries
            .iter()
            .map(|it| (it.key.as_str(), lower(&it.name, other)));
        Scope::new("_", []).name(Some(earlier), keys)
    };
    let prompts = entries(&model.prompts, &earlier.prompts, "prompt");
    let templates = &earlier.resource_templates;
    let resource_templates = entries(&model.templates, templates, "resource");
    let mut names = Names {
        server,
        tools,
        prompts,
        resource_templates,
        types: IndexMap::new(),
    };
    name_types(model, &mut types, earlier, &mut names);
    names
}

fn name_types(model: &mut Model, types: &mut Scope, earlier: &Names, names: &mut Names) {
    let mut arguments: HashMap<Id, String> = HashMap::new();
    let mut add = |ty: &Type, name: &str, suffix: &str| {
        if let Type::Named(id) = ty {
            let name = upper(name, "Tool");
            let name = name.strip_suffix(suffix).unwrap_or(&name);
            arguments.insert(*id, format!("{name}{suffix}Arguments"));
        }
    };
    for tool in &model.tools {
        add(&tool.arguments, &names.tools[&tool.name], "");
    }
    for (entries, suffix) in [(&model.prompts, "Prompt"), (&model.templates, "Resource")] {
        for entry in entries {
            add(&entry.arguments, &entry.name, suffix);
        }
    }
    let outputs: HashMap<Id, &str> = model
        .tools
        .iter()
        .rev()
        .filter_map(|tool| match tool.output.as_ref()?.ty {
            Type::Named(id) => Some((id, names.tools[&tool.name].as_str())),
            _ => None,
        })
        .collect();
    let mut given: HashMap<Id, String> = HashMap::new();
    // A place has several types where a union is an alternative of another one.
    let mut by_place: HashMap<&str, Vec<Id>> = HashMap::new();
    for (id, def) in &model.defs {
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
    for (id, def) in &mut model.defs {
        let name = given
            .remove(id)
            .unwrap_or_else(|| match (arguments.get(id), outputs.get(id)) {
                (Some(name), _) => types.take([name.clone()]),
                (_, Some(tool)) if def.title.is_none() && is_output(def) => {
                    types.take([format!("{}Output", upper(tool, "Tool"))])
                }
                _ => types.take(candidates(def)),
            });
        let record = TypeNames {
            at: def.places.clone(),
            names: name_members(def, earlier.types.get(&name)),
        };
        names.types.insert(name, record);
    }
}

/// Whether a type is the output of a tool, and not part of arguments as well.
fn is_output(def: &Def) -> bool {
    let first = def.places.first();
    first.is_some_and(|place| place.ends_with("/outputSchema"))
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

/// Names the fields or variants of a type.
fn name_members(def: &mut Def, earlier: Option<&TypeNames>) -> IndexMap<String, String> {
    let earlier = earlier.map(|record| &record.names);
    match &mut def.shape {
        Shape::Struct(it) => {
            let reserved = it.extra.as_ref().map(|_| "extra");
            let keys = it
                .fields
                .iter()
                .map(|(wire, _)| (wire.as_str(), lower(wire, "member")));
            let names = Scope::new("_", reserved).name(earlier, keys);
            it.fields
                .sort_by_cached_key(|(wire, _)| names.get_index_of(wire));
            names
        }
        Shape::Enum(values) => {
            let keys = values
                .iter()
                .map(|(wire, _)| (wire.as_str(), variant(wire)));
            let names = Scope::new("", ["Unknown"]).name(earlier, keys);
            values.sort_by_cached_key(|(wire, _)| names.get_index_of(wire));
            names
        }
        Shape::Tagged { variants, .. } => {
            // A variant is known by the first of its values.
            let keys = variants
                .iter()
                .map(|(wires, _)| (wires[0].as_str(), wires.join(" or ")));
            let keys = keys.map(|(wire, name)| (wire, variant(&name)));
            let names = Scope::new("", ["Unknown"]).name(earlier, keys);
            variants.sort_by_cached_key(|(wires, _)| names.get_index_of(&wires[0]));
            names
        }
        Shape::Kinds(_) | Shape::Alias(_) => IndexMap::new(),
    }
}

fn variant(wire: &str) -> String {
    upper(wire, if wire.is_empty() { "Empty" } else { "Value" })
}
