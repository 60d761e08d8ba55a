//! One revision, flattened for comparison.
//!
//! A schema nests; people compare lists. So each type, and the params of each
//! method, becomes a flat map from a dotted path to one field.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The unions of all messages in one direction, and who sends them.
const DIRECTIONS: &[(&str, &str)] = &[
    ("ClientNotification", "client"),
    ("ClientRequest", "client"),
    ("ClientResult", "client"),
    ("ServerNotification", "server"),
    ("ServerRequest", "server"),
    ("ServerResult", "server"),
];

/// Params that many methods share, and that are worth telling on their own.
const SHARED_PARAMS: &[&str] = &[
    "NotificationParams",
    "PaginatedRequestParams",
    "RequestParams",
];

/// A revision's methods by name, and its other types by name.
pub(super) struct Model {
    pub(super) methods: BTreeMap<String, Method>,
    pub(super) types: BTreeMap<String, Shape>,
}

/// A request or notification.
pub(super) struct Method {
    /// The definition that declares it.
    pub(super) definition: String,
    /// The sender: `client`, `server`, or the union that embeds it.
    pub(super) senders: BTreeSet<String>,
    pub(super) params: Shape,
}

/// A type, flattened.
#[derive(Default)]
pub(super) struct Shape {
    /// Fields by dotted path.
    pub(super) fields: BTreeMap<String, Field>,
    /// The type, if it has no fields.
    pub(super) kind: Kind,
}

/// A field of a flattened type.
pub(super) struct Field {
    pub(super) required: bool,
    pub(super) kind: Kind,
}

/// A value's type in plain words, and its alternatives if it has some.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Kind {
    pub(super) words: String,
    pub(super) alternatives: BTreeSet<String>,
}

impl Model {
    pub(super) fn new(definitions: &Value) -> Self {
        let mut model = Self {
            methods: BTreeMap::new(),
            types: BTreeMap::new(),
        };
        let mut params = BTreeSet::new();
        for (name, definition) in members(definitions) {
            if is_framing(name, definition) {
                continue;
            }
            if let Some(method) = method(definition) {
                let schema = &definition["properties"]["params"];
                params.extend(target(schema));
                let shape = Method {
                    definition: name.clone(),
                    senders: senders(definitions, name, method),
                    params: Shape::new(definitions, resolve(definitions, schema)),
                };
                model.methods.insert(method.to_owned(), shape);
            } else {
                let shape = Shape::new(definitions, definition);
                model.types.insert(name.clone(), shape);
            }
        }
        let told_elsewhere = |name: &str| params.contains(name) && !SHARED_PARAMS.contains(&name);
        model.types.retain(|name, _| !told_elsewhere(name));
        model
    }
}

impl Shape {
    fn new(definitions: &Value, schema: &Value) -> Self {
        let mut shape = Self {
            fields: BTreeMap::new(),
            kind: kind(schema),
        };
        shape.collect(definitions, schema, "");
        shape
    }

    /// Adds the fields of `schema`, those of its `allOf` parts included.
    fn collect(&mut self, definitions: &Value, schema: &Value, prefix: &str) {
        for part in list(&schema["allOf"]) {
            self.collect(definitions, resolve(definitions, part), prefix);
        }
        let required: BTreeSet<_> = list(&schema["required"])
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for (name, member) in members(&schema["properties"]) {
            let path = format!("{prefix}{name}");
            let field = Field {
                required: required.contains(name.as_str()),
                kind: kind(member),
            };
            self.collect(definitions, member, &format!("{path}."));
            self.collect(definitions, &member["items"], &format!("{path}[]."));
            self.fields.insert(path, field);
        }
    }
}

/// Says in plain words what a schema allows.
fn kind(schema: &Value) -> Kind {
    let one_of = |alternatives| Kind {
        words: "one of several".to_owned(),
        alternatives,
    };
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values.iter().map(literal).collect());
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(parts) = schema[keyword].as_array() {
            return one_of(parts.iter().map(|part| kind(part).flat()).collect());
        }
    }
    Kind {
        words: words(schema),
        alternatives: BTreeSet::new(),
    }
}

fn words(schema: &Value) -> String {
    match target(schema) {
        Some("JSONObject") => return "object".to_owned(),
        Some("JSONValue") => return "any JSON".to_owned(),
        Some(name) => return format!("`{name}`"),
        None => {}
    }
    if let Some(value) = schema.get("const") {
        return format!("always {}", literal(value));
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => list_words(schema),
        Value::String(name) if name == "object" => object_words(schema),
        Value::String(name) => match schema["format"].as_str() {
            Some(format) => format!("{name} ({format})"),
            None => name.clone(),
        },
        Value::Array(names) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        _ if schema.get("allOf").is_some() || schema.get("properties").is_some() => {
            "object".to_owned()
        }
        _ => "any JSON".to_owned(),
    }
}

fn list_words(schema: &Value) -> String {
    match schema.get("items") {
        Some(items) => format!("list of {}", kind(items).flat()),
        None => "list".to_owned(),
    }
}

fn object_words(schema: &Value) -> String {
    match schema.get("additionalProperties") {
        Some(value @ Value::Object(members)) if !members.is_empty() => {
            format!("map of {}", kind(value).flat())
        }
        _ => "object".to_owned(),
    }
}

impl Kind {
    /// In one phrase.
    pub(super) fn flat(&self) -> String {
        if self.alternatives.is_empty() {
            return self.words.clone();
        }
        let names: Vec<_> = self.alternatives.iter().map(String::as_str).collect();
        names.join(" | ")
    }
}

/// True for what frames or lists messages and says nothing about one of them.
fn is_framing(name: &str, definition: &Value) -> bool {
    let properties = &definition["properties"];
    name.starts_with("JSONRPC")
        || direction(name).is_some()
        || properties.get("jsonrpc").is_some() && properties.get("result").is_some()
        || properties.get("method").is_some() && method(definition).is_none()
}

fn direction(name: &str) -> Option<&'static str> {
    let entry = DIRECTIONS.iter().find(|(union, _)| *union == name)?;
    Some(entry.1)
}

/// The method that a message's definition fixes.
fn method(definition: &Value) -> Option<&str> {
    definition["properties"]["method"]["const"].as_str()
}

/// The parties that send a message, or the unions that embed it. A direction
/// with a single message is that message's definition again, not a union.
fn senders(definitions: &Value, definition: &str, name: &str) -> BTreeSet<String> {
    let unions = members(definitions).filter(|(_, schema)| {
        let parts = list(&schema["anyOf"]).iter();
        let listed = parts.filter_map(target).any(|part| part == definition);
        listed || method(schema) == Some(name)
    });
    unions
        .filter_map(|(union, schema)| match direction(union) {
            Some(party) => Some(party.to_owned()),
            None if method(schema).is_some() || union.starts_with("JSONRPC") => None,
            None => Some(format!("`{union}`")),
        })
        .collect()
}

/// The definition that a `$ref` names.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn resolve<'a>(definitions: &'a Value, schema: &'a Value) -> &'a Value {
    target(schema).map_or(schema, |name| &definitions[name])
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}
