//! One revision as its methods and its other definitions.

use super::flat::flat;
use super::parts::{alternatives, list, members, referred};
use super::words::{code, words};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The unions of all messages in one direction, and who sends them.
const DIRECTIONS: &[(&str, &str)] = &[
    ("ClientNotification", "client"),
    ("ClientRequest", "client"),
    ("ServerNotification", "server"),
    ("ServerRequest", "server"),
];

/// A revision's methods by name, and its other definitions by name.
#[derive(Default)]
pub(super) struct Model {
    pub(super) methods: BTreeMap<String, Item>,
    pub(super) others: BTreeMap<String, Item>,
    /// Params named after their message: part of it.
    pub(super) params: BTreeSet<String>,
}

/// A method or another definition.
#[derive(Clone)]
pub(super) struct Item {
    /// Facts from outside of its schema, such as the sender, and the code of an error.
    pub(super) notes: BTreeSet<String>,
    /// Its schema; that of a message has its params in place.
    pub(super) schema: Value,
}

impl Model {
    pub(super) fn new(definitions: &Value) -> Self {
        let mut model = Self::default();
        for (name, definition) in members(definitions) {
            match method(definition) {
                Some(method) if party(name).is_none() && !model.methods.contains_key(method) => {
                    let message = model.message(definitions, name, method);
                    model.methods.insert(method.to_owned(), message);
                }
                _ => {
                    let schema = match party(name) {
                        Some(_) => without_messages(definitions, definition),
                        None => definition.clone(),
                    };
                    let code = error_code(definitions, &schema);
                    let notes = code
                        .map(|code| format!("code {code}"))
                        .into_iter()
                        .collect();
                    model.others.insert(name.clone(), Item { notes, schema });
                }
            }
        }
        model
    }

    fn message(&mut self, definitions: &Value, name: &str, method: &str) -> Item {
        let mut notes = senders(definitions, name, method);
        notes.insert(format!("declared by {}", code(name)));
        notes.extend(results(definitions, name));
        let mut schema = definitions[name].clone();
        if let Some(slot) = schema.pointer_mut("/properties/params") {
            match referred(slot) {
                Some(params) if *params == format!("{name}Params") => {
                    self.params.insert(params.to_owned());
                    notes.insert("with params in a definition of their own".to_owned());
                }
                Some(params) => drop(notes.insert(format!("with params in {}", code(params)))),
                None => {}
            }
            *slot = flat(definitions, slot);
        }
        Item { notes, schema }
    }
}

/// The method that a message's definition fixes.
fn method(definition: &Value) -> Option<&str> {
    let own = &definition["properties"]["method"]["const"];
    let mut parts = list(&definition["allOf"]).iter().filter_map(method);
    own.as_str().or_else(|| parts.next())
}

/// The sender of the messages in a union of this name.
fn party(union: &str) -> Option<&'static str> {
    let direction = DIRECTIONS.iter().find(|(name, _)| *name == union)?;
    Some(direction.1)
}

/// The parties that send a message, or the unions that embed it. A direction
/// with a single message may be that message's definition again.
fn senders(definitions: &Value, definition: &str, name: &str) -> BTreeSet<String> {
    let unions = members(definitions).filter(|(union, schema)| {
        let mut parts = alternatives(schema).into_iter().filter_map(referred);
        party(union).is_some() && method(schema) == Some(name)
            || parts.any(|part| part == definition)
    });
    let senders = unions.map(|(union, _)| match party(union) {
        Some(party) => format!("sent by {party}"),
        None => format!("part of {}", code(union)),
    });
    senders.collect()
}

/// The results in a request's `…ResultResponse`; without one, that of the request's name.
fn results(definitions: &Value, definition: &str) -> Vec<String> {
    let Some(stem) = definition.strip_suffix("Request") else {
        return Vec::new();
    };
    let response = &definitions[format!("{stem}ResultResponse")]["properties"]["result"];
    let mut results: Vec<_> = alternatives(response).into_iter().map(words).collect();
    if results.is_empty() {
        let own = format!("{stem}Result");
        let known = definitions.get(&own).is_some();
        results.push(code(if known { &own } else { "EmptyResult" }));
    }
    let results = results
        .into_iter()
        .map(|result| format!("with result {result}"));
    results.collect()
}

/// A union without messages: their methods have its party as a note.
fn without_messages(definitions: &Value, union: &Value) -> Value {
    let parts = alternatives(union);
    if parts.is_empty() && method(union).is_none() {
        return union.clone();
    }
    let full = |part| referred(part).map_or(part, |name| &definitions[name]);
    let others = parts
        .into_iter()
        .filter(|part| method(full(part)).is_none());
    json!({ "anyOf": others.collect::<Vec<_>>() })
}

/// The code that an error's definition fixes, by itself or in its response.
fn error_code(definitions: &Value, schema: &Value) -> Option<i64> {
    let schema = flat(definitions, schema);
    let inside = flat(definitions, &schema["properties"]["error"]);
    [inside, schema].iter().find_map(|error| {
        let code = flat(definitions, &error["properties"]["code"]);
        code["const"].as_i64()
    })
}
