//! Access to the parts of a schema.

pub(super) use crate::codegen::{ALTERNATIVES, referred};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Whether a field is required or optional; `None` for items of a list and values of a map.
pub(super) type Need = Option<&'static str>;

/// Returns the members of an object, or nothing for other values.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// Returns the items of an array, or nothing for other values.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the alternatives of a union. A plain reference is treated as a union with one alternative.
pub(super) fn alternatives(schema: &Value) -> Vec<&Value> {
    let unions = ALTERNATIVES
        .iter()
        .flat_map(|keyword| list(&schema[*keyword]));
    let alone = referred(schema).map(|_| schema);
    unions.chain(alone).collect()
}

/// Returns true for a schema that includes a definition.
pub(super) fn is_named(schema: &Value) -> bool {
    referred(schema).is_some() || list(&schema["allOf"]).iter().any(is_named)
}

/// Returns the schemas inside of `schema`, each with its step of the path: `.name` for a field, `[]` for
/// items of a list, `{}` for values of a map.
pub(super) fn children(schema: &Value) -> BTreeMap<String, (Need, &Value)> {
    let mut children = BTreeMap::new();
    for name in list(&schema["required"]).iter().filter_map(Value::as_str) {
        children.insert(format!(".{name}"), (Some("required"), &Value::Null));
    }
    for (name, member) in members(&schema["properties"]) {
        let field = children.entry(format!(".{name}"));
        field.or_insert((Some("optional"), member)).1 = member;
    }
    for (suffix, keyword) in [("[]", "items"), ("{}", "additionalProperties")] {
        if let Some(schema) = schema.get(keyword).filter(|schema| has_keywords(schema)) {
            children.insert(suffix.to_owned(), (None, schema));
        }
    }
    children
}

/// Returns true for a schema that is neither `{}` nor a boolean.
pub(super) fn has_keywords(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| !schema.is_empty())
}
