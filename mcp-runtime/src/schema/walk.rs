//! Visits every schema inside a schema.

use serde_json::{Map, Value};

/// Keywords whose value is a schema.
const ONE: [&str; 10] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value has a schema under each name.
const NAMED: [&str; 4] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
];

/// Calls `visit` on `schema` and on all schemas inside it, the outer ones first.
///
/// What only looks like a schema, such as an example or a property's name, is left alone.
pub(crate) fn walk(schema: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    visit(schema);
    let Value::Object(members) = schema else {
        return;
    };
    for (keyword, value) in members {
        for inner in children(keyword, value) {
            walk(inner, visit);
        }
    }
}

fn children<'a>(keyword: &str, value: &'a mut Value) -> Vec<&'a mut Value> {
    if ONE.contains(&keyword) {
        return vec![value];
    }
    match value {
        Value::Array(list) if LIST.contains(&keyword) => list.iter_mut().collect(),
        Value::Object(named) if NAMED.contains(&keyword) => named.values_mut().collect(),
        _ => Vec::new(),
    }
}

/// The members of a schema that is an object, as all but `true` and `false` are.
pub(super) fn members(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    schema.as_object_mut()
}
