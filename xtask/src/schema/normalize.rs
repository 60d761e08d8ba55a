//! A published schema in, its structure out.
//!
//! Published revisions differ in dialect, order and prose. The generator and
//! the diff need none of that, so it is removed once, here: prose goes,
//! `definitions` becomes `$defs`, `true` becomes `{}`, keys and `required` are
//! sorted. A keyword is dropped only where a keyword can stand: a property that
//! is *called* `description` stays.

use super::error::Fault;
use serde_json::{Map, Value};

/// The one dialect of stored schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords that only comment.
const PROSE: &[&str] = &[
    "$comment",
    "$id",
    "$schema",
    "deprecated",
    "description",
    "examples",
    "markdownDescription",
    "title",
];

/// Keywords whose value is a schema.
const SCHEMA: &[&str] = &[
    "additionalProperties",
    "contains",
    "items",
    "not",
    "propertyNames",
];

/// Keywords whose value is a list of schemas.
const SCHEMA_LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value maps names to schemas.
const SCHEMA_MAP: &[&str] = &["patternProperties", "properties"];

/// Keywords whose value is taken as it stands.
const VERBATIM: &[&str] = &[
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Reduces a published schema to its structure.
///
/// The result has exactly two keys, `$defs` and `$schema`. The error names the
/// first place that the normal form has no word for.
pub(super) fn normalize(document: &Value) -> Result<Value, Fault> {
    let definitions = ["$defs", "definitions"]
        .iter()
        .find_map(|key| document.get(key).map(|value| (key, value)));
    let Some((key, value)) = definitions else {
        return Err(fault(
            "$",
            "neither `$defs` nor `definitions`: not a protocol schema",
        ));
    };
    let definitions = schema_map(value, &format!("$.{key}"))?;
    let normal = object([
        ("$defs".to_owned(), definitions),
        ("$schema".to_owned(), Value::from(DIALECT)),
    ]);
    check_references(&normal, &normal["$defs"], "$")?;
    Ok(normal)
}

fn schema(value: &Value, path: &str) -> Result<Value, Fault> {
    let members = match value {
        Value::Bool(true) => return Ok(object([])),
        Value::Bool(false) => return Ok(value.clone()),
        Value::Object(members) => members,
        _ => return Err(fault(path, "expected a schema: an object or a boolean")),
    };
    let mut normal = Vec::new();
    for (keyword, value) in members {
        if PROSE.contains(&keyword.as_str()) {
            continue;
        }
        let path = format!("{path}.{keyword}");
        normal.push((keyword.clone(), member(keyword, value, &path)?));
    }
    Ok(object(normal))
}

/// The normal form of one keyword's value.
fn member(keyword: &str, value: &Value, path: &str) -> Result<Value, Fault> {
    match keyword {
        "$ref" => reference(value, path),
        "required" => Ok(Value::from(sorted_names(value, path)?)),
        "type" if value.is_string() => Ok(value.clone()),
        "type" => Ok(Value::from(sorted_names(value, path)?)),
        _ if SCHEMA.contains(&keyword) => schema(value, path),
        _ if SCHEMA_LIST.contains(&keyword) => schema_list(value, path),
        _ if SCHEMA_MAP.contains(&keyword) => schema_map(value, path),
        _ if VERBATIM.contains(&keyword) => Ok(value.clone()),
        _ => Err(fault(path, "a keyword that this importer does not know")),
    }
}

fn reference(value: &Value, path: &str) -> Result<Value, Fault> {
    let target = value.as_str().and_then(|text| {
        text.strip_prefix("#/definitions/")
            .or_else(|| text.strip_prefix("#/$defs/"))
    });
    match target {
        Some(name) => Ok(Value::from(format!("#/$defs/{name}"))),
        None => Err(fault(
            path,
            "expected a reference to one of the document's definitions",
        )),
    }
}

fn schema_list(value: &Value, path: &str) -> Result<Value, Fault> {
    let Value::Array(members) = value else {
        return Err(fault(path, "expected a list of schemas"));
    };
    let members = members.iter().enumerate();
    members
        .map(|(index, member)| schema(member, &format!("{path}[{index}]")))
        .collect()
}

/// Names on this level are not keywords: all of them stay.
fn schema_map(value: &Value, path: &str) -> Result<Value, Fault> {
    let Value::Object(members) = value else {
        return Err(fault(path, "expected an object of schemas"));
    };
    let members = members
        .iter()
        .map(|(name, member)| Ok((name.clone(), schema(member, &format!("{path}.{name}"))?)));
    Ok(object(members.collect::<Result<Vec<_>, Fault>>()?))
}

fn sorted_names(value: &Value, path: &str) -> Result<Vec<String>, Fault> {
    let names: Option<Vec<_>> = value.as_array().and_then(|names| {
        let names = names.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect()
    });
    let mut names = names.ok_or_else(|| fault(path, "expected a list of names"))?;
    names.sort();
    names.dedup();
    Ok(names)
}

/// Refuses references that lead nowhere.
fn check_references(value: &Value, definitions: &Value, path: &str) -> Result<(), Fault> {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let path = format!("{path}.{key}");
                if let ("$ref", Value::String(target)) = (key.as_str(), member) {
                    let name = target.trim_start_matches("#/$defs/");
                    if definitions.get(name).is_none() {
                        return Err(fault(&path, &format!("no definition is called `{name}`")));
                    }
                }
                check_references(member, definitions, &path)?;
            }
            Ok(())
        }
        Value::Array(members) => members.iter().enumerate().try_for_each(|(index, member)| {
            check_references(member, definitions, &format!("{path}[{index}]"))
        }),
        _ => Ok(()),
    }
}

/// An object with sorted keys, whichever map `serde_json` was built with.
fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut members: Vec<_> = members.into_iter().collect();
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    Value::Object(Map::from_iter(members))
}

fn fault(path: &str, what: &str) -> Fault {
    Fault {
        path: path.to_owned(),
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let normal = normalize(&published).unwrap();
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
        let text = |document| normalize(document).unwrap().to_string();
        assert_eq!(text(&one), text(&other));
        assert!(text(&one).find("\"A\"") < text(&one).find("\"B\""));
    }

    #[test]
    fn faults_name_their_path() {
        let at = |document| normalize(&document).unwrap_err().to_string();
        assert_eq!(
            at(json!({})),
            "at $: neither `$defs` nor `definitions`: not a protocol schema"
        );
        assert_eq!(
            at(json!({ "$defs": { "A": { "properties": { "x": { "if": {} } } } } })),
            "at $.$defs.A.properties.x.if: a keyword that this importer does not know"
        );
        assert_eq!(
            at(json!({ "definitions": { "A": { "anyOf": [{}, 1] } } })),
            "at $.definitions.A.anyOf[1]: expected a schema: an object or a boolean"
        );
        assert_eq!(
            at(json!({ "$defs": { "A": { "items": { "$ref": "#/definitions/B" } } } })),
            "at $.$defs.A.items.$ref: no definition is called `B`"
        );
        assert_eq!(
            at(json!({ "$defs": { "A": { "$ref": "other.json" } } })),
            "at $.$defs.A.$ref: expected a reference to one of the document's definitions"
        );
        assert_eq!(
            at(json!({ "$defs": { "A": { "required": [1] } } })),
            "at $.$defs.A.required: expected a list of names"
        );
    }
}
