//! Flattens schemas: includes the definitions that they refer to.

use super::parts::{alternatives, list, members, referred};
use super::words::words;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Merges `schema`, its `$ref` and its `allOf` into one schema. Each definition is included only once,
/// which breaks cycles.
pub(super) fn flat(definitions: &Value, schema: &Value) -> Value {
    if referred(schema).is_none() && schema.get("allOf").is_none() {
        return schema.clone();
    }
    let mut seen = BTreeSet::new();
    let mut pending = vec![schema];
    let mut flat = Map::new();
    while let Some(schema) = pending.pop() {
        if let Some(name) = referred(schema).filter(|name| seen.insert(*name)) {
            pending.push(&definitions[name]);
        }
        pending.extend(list(&schema["allOf"]));
        for (keyword, value) in members(schema) {
            if keyword != "$ref" && keyword != "allOf" {
                add(&mut flat, keyword, value);
            }
        }
    }
    Value::Object(flat)
}

/// Adds a constraint. A constraint that contradicts an existing one is kept separately.
fn add(flat: &mut Map<String, Value>, keyword: &str, value: &Value) {
    match (keyword, flat.get_mut(keyword)) {
        (_, None) => drop(flat.insert(keyword.to_owned(), value.clone())),
        (_, Some(known)) if known == value => {}
        ("required", Some(Value::Array(known))) => known.extend_from_slice(list(value)),
        ("properties", Some(Value::Object(known))) => {
            for (name, member) in members(value) {
                let both = match known.get(name) {
                    Some(first) if first != member => json!({ "allOf": [first, member] }),
                    _ => member.clone(),
                };
                known.insert(name.clone(), both);
            }
        }
        _ => {
            let rest = flat.entry("allOf").or_insert_with(|| json!([]));
            let known = list(rest).iter().cloned();
            *rest = known.chain([json!({ keyword: value })]).collect();
        }
    }
}

/// Returns the alternatives of a union, including the alternatives of nested unions, each with its
/// description and its flat schema.
pub(super) fn leaves(definitions: &Value, union: &Value) -> Vec<(String, Value)> {
    let mut seen = BTreeSet::new();
    let mut leaves = Vec::new();
    let mut pending = alternatives(union);
    while let Some(schema) = pending.pop() {
        if referred(schema).is_some_and(|name| !seen.insert(name)) {
            continue;
        }
        let inside = alternatives(referred(schema).map_or(schema, |name| &definitions[name]));
        if inside.is_empty() {
            leaves.push((words(schema), flat(definitions, schema)));
        }
        pending.extend(inside);
    }
    leaves.reverse();
    leaves
}
