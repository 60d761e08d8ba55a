//! Reduces a published schema to its structure.
//!
//! Published revisions differ in dialect, order and prose. The generator and the diff do not need these,
//! so they are normalized here: prose is removed, `definitions` becomes `$defs`, `true` becomes `{}`, and
//! keys and `required` are sorted. Keywords are removed only where keywords are allowed: a property that
//! is *called* `description` stays.
//!
//! Everything else is kept. The generator checks the schema, after repairs, before it is stored and
//! whenever it is read.

use crate::codegen::{alternatives, each};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The dialect of all stored schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The largest integer of JavaScript, which some tools write as the limit of each integer.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Keywords that are only annotations.
const PROSE: [&str; 8] = [
    "$comment",
    "$id",
    "$schema",
    "deprecated",
    "description",
    "examples",
    "markdownDescription",
    "title",
];

/// Reduces a published schema to its structure.
///
/// The result has exactly two keys, `$defs` and `$schema`.
pub(super) fn normalize(mut document: Value) -> Result<Value> {
    let key = match (document.get("$defs"), document.get("definitions")) {
        (Some(_), Some(_)) => bail!("at $: both `$defs` and `definitions`; move all into `$defs`"),
        (None, None) => bail!("at $: neither `$defs` nor `definitions`: not a protocol schema"),
        (Some(_), None) => "$defs",
        (None, Some(_)) => "definitions",
    };
    if let Some(other) = structure(&document).find(|other| *other != key) {
        bail!(
            "at $.{other}: only definitions are read at the root; \
             give this a definition of its own"
        );
    }
    let definitions = document[key].as_object_mut().filter(|it| !it.is_empty());
    let definitions =
        definitions.with_context(|| format!("at $.{key}: expected at least one definition"))?;
    for definition in definitions.values_mut() {
        each(definition, "", &mut |schema, _| reduce(schema));
    }
    let mut normal = json!({ "$defs": definitions, "$schema": DIALECT });
    normal.sort_all_objects();
    Ok(normal)
}

/// Returns the keywords of a schema that are not annotations.
fn structure(schema: &Value) -> impl Iterator<Item = &str> {
    let keywords = schema.as_object().into_iter().flat_map(Map::keys);
    keywords
        .map(String::as_str)
        .filter(|keyword| !PROSE.contains(keyword))
}

/// Reduces one schema. Its subschemas must already be reduced.
fn reduce(schema: &mut Value) {
    if *schema == true {
        *schema = json!({});
    }
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    members
        .retain(|keyword, value| !PROSE.contains(&keyword.as_str()) && !allows_all(keyword, value));
    for keyword in ["required", "type"] {
        if let Some(names) = members.get_mut(keyword)
            && let Ok(sorted) = BTreeSet::<String>::deserialize(&*names)
        {
            *names = sorted.into_iter().collect();
        }
    }
    if let Some(Value::String(target)) = members.get_mut("$ref")
        && let Some(name) = target.strip_prefix("#/definitions/")
    {
        *target = format!("#/$defs/{name}");
    }
    if members.len() > 1 {
        return;
    }
    if members.get("not").is_some_and(is_true) {
        *schema = json!(false);
    } else if let Some(values) = constants(schema) {
        *schema = json!({ "enum": values, "type": "string" });
    }
}

/// Returns true if a keyword with this value allows everything.
fn allows_all(keyword: &str, value: &Value) -> bool {
    match keyword {
        "propertyNames" => is_true(value) || *value == json!({ "type": "string" }),
        "maximum" | "minimum" => value.as_i64().map(i64::unsigned_abs) == Some(MAX_SAFE_INTEGER),
        _ => false,
    }
}

fn is_true(schema: &Value) -> bool {
    *schema == true || schema.is_object() && structure(schema).next().is_none()
}

/// Returns the strings of a schema that has a separate alternative for each string.
fn constants(schema: &Value) -> Option<BTreeSet<&str>> {
    let alternatives = alternatives(schema)?;
    let values = alternatives.iter().map(|one| {
        let value = one.get("const")?.as_str()?;
        let typed = json!({ "const": value, "type": "string" });
        (*one == typed || *one == json!({ "const": value })).then_some(value)
    });
    values
        .collect::<Option<BTreeSet<_>>>()
        .filter(|values| !values.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_goes_but_properties_with_the_same_names_stay() {
        let published = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {
                "title": { "type": "string", "description": "A definition called title." },
                "Tool": {
                    "description": "Prose.",
                    "type": "object",
                    "required": ["title", "description"],
                    "properties": {
                        "title": { "$ref": "#/definitions/title" },
                        "description": { "description": "Prose.", "type": "string" },
                        "examples": { "type": ["string", "null"], "examples": ["x"] },
                        "$comment": { "const": { "description": "data" } },
                    },
                },
            },
        });
        let normal = normalize(published).unwrap();
        assert_eq!(
            normal,
            json!({
                "$schema": DIALECT,
                "$defs": {
                    "title": { "type": "string" },
                    "Tool": {
                        "type": "object",
                        "required": ["description", "title"],
                        "properties": {
                            "title": { "$ref": "#/$defs/title" },
                            "description": { "type": "string" },
                            "examples": { "type": ["null", "string"] },
                            "$comment": { "const": { "description": "data" } },
                        },
                    },
                },
            })
        );
    }

    #[test]
    fn the_order_of_keys_makes_no_difference() {
        let parse = |text| serde_json::from_str::<Value>(text).unwrap();
        let one =
            parse(r#"{"$defs":{"B":{"type":"object","properties":{"x":true,"a":{}}},"A":{}}}"#);
        let other = parse(
            r#"{"definitions":{"A":true,"B":{"properties":{"a":{},"x":{}},"type":"object"}}}"#,
        );
        let [one, other] = [one, other].map(|document| normalize(document).unwrap().to_string());
        assert_eq!(one, other);
        assert!(one.find("\"A\"") < one.find("\"B\""));
    }

    #[test]
    fn what_the_generator_does_not_read_stays() {
        let odd = json!({
            "A": { "properties": { "x": { "if": {} } } },
            "B": { "anyOf": [{}, 1] },
            "C": { "items": { "$ref": "#/$defs/Nobody" } },
            "D": { "$ref": "other.json", "required": [1] },
            "E": { "minimum": i64::MIN, "not": {}, "type": 1 },
            "F": 7,
        });
        let normal = normalize(json!({ "definitions": odd })).unwrap();
        assert_eq!(normal["$defs"], odd);
    }
}
