//! Two flattened revisions in, phrases out.

use super::shape::{Field, Kind, Method, Model, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that changed among methods, or among types.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// Additions, one phrase each.
    pub(super) added: Vec<String>,
    /// Removals, one phrase each.
    pub(super) removed: Vec<String>,
    /// Changed definitions of both revisions: the name, and a phrase per change.
    pub(super) changed: Vec<(String, Vec<String>)>,
}

/// The differences, methods first. Sections may be empty.
pub(super) fn compare(older: &Model, newer: &Model) -> Vec<Section> {
    let mut types = section(
        "Types",
        &older.types,
        &newer.types,
        |_| String::new(),
        type_changes,
    );
    let mut methods = section(
        "Methods",
        &older.methods,
        &newer.methods,
        |method| format!(" ({})", sent_by(method)),
        method_changes,
    );
    let changed: BTreeSet<_> = types
        .changed
        .iter()
        .filter(|(_, changes)| !changes.is_empty())
        .map(|(name, _)| name.clone())
        .collect();
    refer_to_results(&mut methods, newer, &changed);
    for section in [&mut methods, &mut types] {
        section.changed.retain(|(_, changes)| !changes.is_empty());
    }
    vec![methods, types]
}

fn section<T>(
    title: &'static str,
    older: &BTreeMap<String, T>,
    newer: &BTreeMap<String, T>,
    remark: impl Fn(&T) -> String,
    changes: impl Fn(&T, &T) -> Vec<String>,
) -> Section {
    let only = |these: &BTreeMap<String, T>, those: &BTreeMap<String, T>| {
        let only = these.iter().filter(|(name, _)| !those.contains_key(*name));
        only.map(|(name, item)| format!("`{name}`{}", remark(item)))
            .collect()
    };
    let both = newer.iter().filter_map(|(name, new)| {
        let changes = changes(older.get(name)?, new);
        Some((name.clone(), changes))
    });
    Section {
        title,
        added: only(newer, older),
        removed: only(older, newer),
        changed: both.collect(),
    }
}

/// Points from a method to its result where that changed.
fn refer_to_results(methods: &mut Section, model: &Model, changed: &BTreeSet<String>) {
    for (name, changes) in &mut methods.changed {
        let definition = model.methods.get(name).map(|method| &method.definition);
        let result = definition
            .and_then(|definition| definition.strip_suffix("Request"))
            .map(|stem| format!("{stem}Result"));
        if let Some(result) = result.filter(|result| changed.contains(result)) {
            changes.push(format!("its result `{result}` changed"));
        }
    }
}

fn method_changes(older: &Method, newer: &Method) -> Vec<String> {
    let mut changes = Vec::new();
    if older.senders != newer.senders {
        changes.push(format!("was {}, is {}", sent_by(older), sent_by(newer)));
    }
    changes.extend(type_changes(&older.params, &newer.params));
    changes
}

fn sent_by(method: &Method) -> String {
    let senders: Vec<_> = method.senders.iter().map(String::as_str).collect();
    if senders.is_empty() {
        return "sent by nobody".to_owned();
    }
    format!("sent by {}", senders.join(" and ")).replace("sent by `", "part of `")
}

fn type_changes(older: &Shape, newer: &Shape) -> Vec<String> {
    let mut changes = Vec::new();
    if older.fields.is_empty() && newer.fields.is_empty() {
        kind_changes("", &older.kind, &newer.kind, &mut changes);
    }
    for (path, new) in &newer.fields {
        match older.fields.get(path) {
            Some(old) => field_changes(path, old, new, &mut changes),
            None if inside_changed(path, older) => {}
            None => changes.push(format!("added {}", described(path, new))),
        }
    }
    let gone = older
        .fields
        .iter()
        .filter(|(path, _)| !newer.fields.contains_key(*path) && !inside_changed(path, newer));
    changes.extend(gone.map(|(path, old)| format!("removed {}", described(path, old))));
    changes
}

/// True if the other revision lacks a nested field because it has, or lacks,
/// the whole parent: the parent's own line says so.
fn inside_changed(path: &str, other: &Shape) -> bool {
    let Some((parent, _)) = path.rsplit_once('.') else {
        return false;
    };
    let parent = parent.trim_end_matches("[]");
    let nested = other.fields.keys().any(|key| {
        let rest = key.strip_prefix(parent);
        rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]."))
    });
    !nested
}

fn field_changes(path: &str, old: &Field, new: &Field, changes: &mut Vec<String>) {
    match (old.required, new.required) {
        (false, true) => changes.push(format!("`{path}` became required")),
        (true, false) => changes.push(format!("`{path}` became optional")),
        _ => {}
    }
    kind_changes(&format!("`{path}`: "), &old.kind, &new.kind, changes);
}

fn kind_changes(subject: &str, old: &Kind, new: &Kind, changes: &mut Vec<String>) {
    if old == new {
        return;
    }
    if old.alternatives.is_empty() || new.alternatives.is_empty() {
        changes.push(format!("{subject}was {}, is {}", old.flat(), new.flat()));
        return;
    }
    let added = new.alternatives.difference(&old.alternatives);
    changes.extend(added.map(|name| format!("{subject}added {name}")));
    let removed = old.alternatives.difference(&new.alternatives);
    changes.extend(removed.map(|name| format!("{subject}removed {name}")));
}

fn described(path: &str, field: &Field) -> String {
    let need = if field.required {
        "required"
    } else {
        "optional"
    };
    format!("{need} `{path}`: {}", field.kind.flat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The phrases of both sections, each with what it is about.
    fn phrases(older: &Value, newer: &Value) -> Vec<String> {
        let sections = compare(&Model::new(older), &Model::new(newer));
        let mut phrases = Vec::new();
        for section in sections {
            phrases.extend(section.added.iter().map(|what| format!("+ {what}")));
            phrases.extend(section.removed.iter().map(|what| format!("- {what}")));
            for (name, changes) in section.changed {
                phrases.extend(changes.iter().map(|change| format!("{name}: {change}")));
            }
        }
        phrases
    }

    #[test]
    fn fields_appear_vanish_and_change() {
        let older = json!({ "Tool": {
            "type": "object",
            "required": ["a", "b"],
            "properties": {
                "a": { "type": "string" },
                "b": { "type": "string" },
                "c": { "type": "array", "items": { "$ref": "#/$defs/X" } },
                "gone": { "const": "x" },
            },
        } });
        let newer = json!({ "Tool": {
            "type": "object",
            "required": ["a", "c"],
            "properties": {
                "a": { "type": "integer" },
                "b": { "type": "string" },
                "c": { "type": "array", "items": { "$ref": "#/$defs/X" } },
                "new": { "type": "object", "properties": { "deep": {} } },
            },
        } });
        assert_eq!(
            phrases(&older, &newer),
            [
                "Tool: `a`: was string, is integer",
                "Tool: `b` became optional",
                "Tool: `c` became required",
                "Tool: added optional `new`: object",
                "Tool: removed optional `gone`: always `x`",
            ]
        );
    }

    #[test]
    fn nested_fields_are_named_by_path() {
        let nested = |properties: Value| json!({ "T": { "properties": { "a": { "properties": properties } } } });
        let older = nested(json!({ "x": {} }));
        let newer = nested(json!({ "x": {}, "y": { "type": "boolean" } }));
        assert_eq!(
            phrases(&older, &newer),
            ["T: added optional `a.y`: boolean"]
        );
    }

    #[test]
    fn what_a_type_takes_over_counts_as_its_own() {
        let older = json!({ "Base": {}, "T": { "properties": { "a": {} } } });
        let newer = json!({
            "Base": { "properties": { "b": {} } },
            "T": { "allOf": [{ "$ref": "#/$defs/Base" }, { "properties": { "a": {} } }] },
        });
        assert!(phrases(&older, &newer).contains(&"T: added optional `b`: any JSON".to_owned()));
    }

    #[test]
    fn values_and_alternatives_are_listed_one_by_one() {
        let older = json!({
            "Level": { "enum": ["low", "high"] },
            "Block": { "anyOf": [{ "$ref": "#/$defs/Text" }] },
        });
        let newer = json!({
            "Level": { "enum": ["low", "mid"] },
            "Block": { "anyOf": [{ "$ref": "#/$defs/Text" }, { "$ref": "#/$defs/Audio" }] },
        });
        assert_eq!(
            phrases(&older, &newer),
            [
                "Block: added `Audio`",
                "Level: added `mid`",
                "Level: removed `high`",
            ]
        );
    }

    #[test]
    fn methods_tell_their_sender_and_their_params() {
        let request = |method: &str, params: Value| json!({ "properties": { "method": { "const": method }, "params": params } });
        let older = json!({
            "ClientRequest": { "anyOf": [{ "$ref": "#/$defs/CallRequest" }] },
            "ServerRequest": { "anyOf": [{ "$ref": "#/$defs/AskRequest" }] },
            "AskRequest": request("ask", json!({})),
            "CallRequest": request("call", json!({ "properties": { "name": {} } })),
        });
        let newer = json!({
            "ClientRequest": {
                "anyOf": [{ "$ref": "#/$defs/CallRequest" }, { "$ref": "#/$defs/NewRequest" }],
            },
            "Question": { "anyOf": [{ "$ref": "#/$defs/AskRequest" }] },
            "AskRequest": request("ask", json!({})),
            "CallParams": { "properties": { "name": {}, "more": {} } },
            "CallRequest": request("call", json!({ "$ref": "#/$defs/CallParams" })),
            "NewRequest": request("new", json!({})),
        });
        assert_eq!(
            phrases(&older, &newer),
            [
                "+ `new` (sent by client)",
                "ask: was sent by server, is part of `Question`",
                "call: added optional `more`: any JSON",
                "+ `Question`",
            ]
        );
    }
}
