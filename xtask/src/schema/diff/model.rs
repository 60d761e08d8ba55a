//! Splits a revision into its methods and its other definitions.

use super::flat::flat;
use super::parts::{alternatives, list, members, referred};
use super::words::{code, words};
use itertools::Itertools;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The section of an item, in the order of the official changelogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Title {
    Methods,
    Capabilities,
    Results,
    Errors,
    Types,
    /// Params named after their message. They are a part of the message and have no section.
    Params,
}

/// True for a definition, and the name. The flag is needed because a method and a definition may have the
/// same name.
pub(super) type Key = (bool, String);

pub(super) struct Item {
    pub(super) title: Title,
    /// Facts that are not in the schema, such as the sender, and the code of an error.
    pub(super) notes: BTreeSet<String>,
    /// The schema. The schema of a message includes its params.
    pub(super) schema: Value,
}

pub(super) fn items(definitions: &Value) -> BTreeMap<Key, Item> {
    let messages = members(definitions).filter(|(name, _)| party(name).is_none());
    let messages = messages.filter_map(|(name, it)| Some((name.as_str(), method(it)?)));
    let messages: BTreeMap<_, _> = messages.unique_by(|(_, method)| *method).collect();
    let is_params = |name: &str| {
        name.strip_suffix("Params").is_some_and(|message| {
            let params = referred(&definitions[message]["properties"]["params"]);
            messages.contains_key(message) && params == Some(name)
        })
    };
    let items = members(definitions).map(|(name, _)| match messages.get(name.as_str()) {
        Some(method) => {
            let message = message(definitions, name, method);
            ((false, (*method).to_owned()), message)
        }
        None => {
            let other = other(definitions, name, is_params(name));
            ((true, name.clone()), other)
        }
    });
    items.collect()
}

fn message(definitions: &Value, name: &str, method: &str) -> Item {
    let mut notes = senders(definitions, name, method);
    notes.insert(format!("declared by {}", code(name)));
    if let Some(stem) = name.strip_suffix("Request") {
        let results = results(definitions, stem).into_iter();
        notes.extend(results.map(|result| format!("with result {result}")));
    }
    let mut schema = definitions[name].clone();
    if let Some(slot) = schema.pointer_mut("/properties/params") {
        if let Some(params) = referred(slot) {
            notes.insert(if *params == format!("{name}Params") {
                "with params in a definition of their own".to_owned()
            } else {
                format!("with params in {}", code(params))
            });
        }
        *slot = flat(definitions, slot);
    }
    Item {
        title: Title::Methods,
        notes,
        schema,
    }
}

fn other(definitions: &Value, name: &str, is_params: bool) -> Item {
    let mut schema = definitions[name].clone();
    if party(name).is_some() {
        schema = without_messages(definitions, &schema);
    }
    let code = error_code(definitions, &schema);
    let ends_with = |ends: [&str; 2]| ends.iter().any(|end| name.ends_with(end));
    let title = match name {
        _ if is_params => Title::Params,
        "ClientCapabilities" | "ServerCapabilities" => Title::Capabilities,
        _ if ends_with(["Result", "ResultResponse"]) => Title::Results,
        _ if ends_with(["Error", "ErrorResponse"]) || code.is_some() => Title::Errors,
        _ => Title::Types,
    };
    let notes = code.iter().map(|code| format!("code {code}")).collect();
    Item {
        title,
        notes,
        schema,
    }
}

fn method(definition: &Value) -> Option<&str> {
    let own = &definition["properties"]["method"]["const"];
    let mut parts = list(&definition["allOf"]).iter().filter_map(method);
    own.as_str().or_else(|| parts.next())
}

/// Returns the sender of the messages in a union of this name, if the union has all messages of one
/// direction.
fn party(union: &str) -> Option<&'static str> {
    match union {
        "ClientNotification" | "ClientRequest" => Some("client"),
        "ServerNotification" | "ServerRequest" => Some("server"),
        _ => None,
    }
}

/// Returns the parties that send a message, or the unions that contain it. If a direction has only one
/// message, its union may be a copy of the message's definition.
fn senders(definitions: &Value, definition: &str, name: &str) -> BTreeSet<String> {
    let senders = members(definitions).filter_map(|(union, schema)| {
        let parts = alternatives(schema);
        let embeds = parts.iter().any(|part| referred(part) == Some(definition));
        match party(union) {
            Some(party) if embeds || method(schema) == Some(name) => {
                Some(format!("sent by {party}"))
            }
            None if embeds => Some(format!("part of {}", code(union))),
            _ => None,
        }
    });
    senders.collect()
}

/// Returns the results in `…ResultResponse` for the request `…Request`, or else the result with the
/// name of the request.
fn results(definitions: &Value, stem: &str) -> Vec<String> {
    let response = &definitions[format!("{stem}ResultResponse")]["properties"]["result"];
    let own = format!("{stem}Result");
    match alternatives(response).as_slice() {
        [] if definitions.get(&own).is_some() => vec![code(&own)],
        [] => vec![code("EmptyResult")],
        results => results.iter().map(|result| words(result)).collect(),
    }
}

/// Removes messages from a union, because the notes of their methods have the sender.
fn without_messages(definitions: &Value, union: &Value) -> Value {
    let parts = alternatives(union);
    if parts.is_empty() && method(union).is_none() {
        return union.clone();
    }
    let full = |part| referred(part).map_or(part, |name| &definitions[name]);
    let others = parts.iter().filter(|part| method(full(part)).is_none());
    json!({ "anyOf": others.collect::<Vec<_>>() })
}

/// Returns the code in the definition of an error, or in its response.
fn error_code(definitions: &Value, schema: &Value) -> Option<i64> {
    let schema = flat(definitions, schema);
    let inside = flat(definitions, &schema["properties"]["error"]);
    [inside, schema].iter().find_map(|error| {
        let code = flat(definitions, &error["properties"]["code"]);
        code["const"].as_i64()
    })
}
