//! A published schema in, its structure out.
//!
//! Published revisions differ in dialect, order and prose. The generator and
//! the diff need none of that, so it is removed once, here: prose goes,
//! `definitions` becomes `$defs`, `true` becomes `{}`, keys and `required` are
//! sorted. A keyword is dropped only where a keyword can stand: a property that
//! is *called* `description` stays.
//!
//! Keywords for which no Rust type has a form are refused with their path, so that
//! nothing is lost later. The generator checks their values.

use super::error::Fault;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The one dialect of stored schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The largest integer of JavaScript, which some tools write as the limit of each integer.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Whether a keyword only comments.
#[rustfmt::skip]
fn is_prose(keyword: &str) -> bool {
    matches!(
        keyword,
        "$comment" | "$id" | "$schema" | "deprecated" | "description" | "examples"
            | "markdownDescription" | "title"
    )
}

/// Whether the value of a keyword is taken as it stands.
#[rustfmt::skip]
fn is_verbatim(keyword: &str) -> bool {
    matches!(
        keyword,
        "const" | "contentEncoding" | "contentMediaType" | "default" | "enum" | "exclusiveMaximum"
            | "exclusiveMinimum" | "format" | "maxItems" | "maxLength" | "maxProperties"
            | "maximum" | "minItems" | "minLength" | "minProperties" | "minimum" | "multipleOf"
            | "pattern" | "uniqueItems"
    )
}

/// Reduces a published schema to its structure.
///
/// The result has exactly two keys, `$defs` and `$schema`. The error names the
/// first place that the normal form has no word for.
pub(super) fn normalize(document: &Value) -> Result<Value, Fault> {
    let key = match (document.get("$defs"), document.get("definitions")) {
        (Some(_), Some(_)) => Err("both `$defs` and `definitions`; move all into `$defs`"),
        (None, None) => Err("neither `$defs` nor `definitions`: not a protocol schema"),
        (Some(_), None) => Ok("$defs"),
        (None, Some(_)) => Ok("definitions"),
    };
    let key = key.map_err(|what| fault("$", what))?;
    if let Some((other, _)) = structure(document).find(|(other, _)| *other != key) {
        let what = "only definitions are read at the root; give this a definition of its own";
        return Err(fault(&format!("$.{other}"), what));
    }
    let path = format!("$.{key}");
    let definitions = document[key].as_object().filter(|it| !it.is_empty());
    let definitions =
        definitions.ok_or_else(|| fault(&path, "expected at least one definition"))?;
    let normal = Normalizer { definitions }.schema_map(&document[key], &path)?;
    Ok(object([
        ("$defs".to_owned(), normal),
        ("$schema".to_owned(), Value::from(DIALECT)),
    ]))
}

/// The members of a schema that do more than comment.
fn structure(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = schema.as_object().into_iter().flatten();
    members.filter(|(keyword, _)| !is_prose(keyword))
}

struct Normalizer<'a> {
    definitions: &'a Map<String, Value>,
}

impl Normalizer<'_> {
    fn schema(&self, value: &Value, path: &str) -> Result<Value, Fault> {
        let normal = self.part(value, path)?;
        check_required(&normal, path)?;
        Ok(normal)
    }

    /// A schema that, inside an `allOf`, may require the fields of another one.
    fn part(&self, value: &Value, path: &str) -> Result<Value, Fault> {
        match value {
            Value::Bool(true) => return Ok(object([])),
            Value::Bool(false) => return Ok(value.clone()),
            Value::Object(_) => {}
            _ => return Err(fault(path, "expected a schema: an object or a boolean")),
        }
        if let Some(values) = constants(value) {
            return Ok(json!({ "enum": values, "type": "string" }));
        }
        let is_reference = value.get("$ref").is_some();
        let mut normal = Vec::new();
        for (keyword, member) in structure(value) {
            let path = format!("{path}.{keyword}");
            match keyword.as_str() {
                "not" if is_true(member) && structure(value).count() == 1 => {
                    return Ok(Value::from(false));
                }
                "propertyNames" if is_true(member) || *member == json!({ "type": "string" }) => {}
                "maximum" | "minimum"
                    if member.as_i64().map(i64::abs) == Some(MAX_SAFE_INTEGER) => {}
                other if is_reference && other != "$ref" && other != "default" => {
                    let what = "the `$ref` beside it hides it; put both into an `allOf`";
                    return Err(fault(&path, what));
                }
                _ => normal.push((keyword.clone(), self.member(keyword, member, &path)?)),
            }
        }
        Ok(object(normal))
    }

    /// The normal form of one keyword's value.
    fn member(&self, keyword: &str, value: &Value, path: &str) -> Result<Value, Fault> {
        match keyword {
            "$ref" => self.reference(value, path),
            "type" if value.is_string() => Ok(value.clone()),
            "required" | "type" => sorted_names(value, path),
            "items" if value.is_array() => Err(refused("prefixItems", path)),
            "additionalProperties" | "items" => self.schema(value, path),
            "allOf" | "anyOf" | "oneOf" => self.schema_list(value, path),
            "properties" => self.schema_map(value, path),
            _ if is_verbatim(keyword) => Ok(value.clone()),
            _ => Err(refused(keyword, path)),
        }
    }

    fn reference(&self, value: &Value, path: &str) -> Result<Value, Fault> {
        let target = value.as_str().and_then(|text| {
            text.strip_prefix("#/definitions/")
                .or_else(|| text.strip_prefix("#/$defs/"))
        });
        let what = match target {
            Some(name) if self.definitions.contains_key(name) => {
                return Ok(Value::from(format!("#/$defs/{name}")));
            }
            Some(name) => &format!("no definition is called `{name}`"),
            None => "expected a reference to one of the document's definitions",
        };
        Err(fault(path, what))
    }

    fn schema_list(&self, value: &Value, path: &str) -> Result<Value, Fault> {
        let members = value.as_array();
        let members = members.ok_or_else(|| fault(path, "expected a list of schemas"))?;
        let members = members.iter().enumerate().map(|(index, member)| {
            let place = format!("{path}[{index}]");
            match path.ends_with(".allOf") {
                true => self.part(member, &place),
                false => self.schema(member, &place),
            }
        });
        members.collect()
    }

    /// Names on this level are not keywords: all of them stay.
    fn schema_map(&self, value: &Value, path: &str) -> Result<Value, Fault> {
        let members = value.as_object();
        let members = members.ok_or_else(|| fault(path, "expected an object of schemas"))?;
        let members = members.iter().map(|(name, member)| {
            let member = self.schema(member, &format!("{path}.{name}"))?;
            Ok((name.clone(), member))
        });
        Ok(object(members.collect::<Result<Vec<_>, Fault>>()?))
    }
}

/// Whether a schema allows everything.
fn is_true(schema: &Value) -> bool {
    *schema == true || schema.is_object() && structure(schema).next().is_none()
}

/// The strings of a schema that lists them one by one, as alternatives.
fn constants(schema: &Value) -> Option<BTreeSet<&str>> {
    let mut keywords = structure(schema);
    let (keyword, alternatives) = keywords.next()?;
    let is_only = keywords.next().is_none() && (keyword == "anyOf" || keyword == "oneOf");
    let alternatives = alternatives
        .as_array()
        .filter(|it| is_only && !it.is_empty())?;
    let is_constant = |one: &Value| {
        let mut rest = structure(one).filter(|(key, _)| *key != "const");
        rest.all(|(key, it)| key == "type" && it == "string")
    };
    let values = alternatives
        .iter()
        .map(|one| one.get("const")?.as_str().filter(|_| is_constant(one)));
    values.collect()
}

/// Refuses a required field that is no property.
fn check_required(schema: &Value, path: &str) -> Result<(), Fault> {
    let names = schema.get("required").and_then(Value::as_array);
    let is_declared = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        schema["properties"].get(name).is_some() || schema.get("allOf").is_some()
    };
    match names.into_iter().flatten().find(|name| !is_declared(name)) {
        None => Ok(()),
        Some(name) => {
            let what = format!("{name} is no property; declare it, as `{{}}` if it is any JSON");
            Err(fault(&format!("{path}.required"), &what))
        }
    }
}

fn sorted_names(value: &Value, path: &str) -> Result<Value, Fault> {
    let names = BTreeSet::<String>::deserialize(value);
    let names = names.map_err(|_| fault(path, "expected a list of names"))?;
    Ok(names.into_iter().collect())
}

/// A keyword that the generator does not read.
fn refused(keyword: &str, path: &str) -> Fault {
    let reason = match keyword {
        "additionalItems" | "prefixItems" | "unevaluatedItems" => "a list typed by position",
        "patternProperties" | "propertyNames" | "unevaluatedProperties" => {
            "fields typed by the form of their names"
        }
        "contains" | "maxContains" | "minContains" => "a list of which some items are typed",
        "dependencies" | "dependentRequired" | "dependentSchemas" => "a field typed by another",
        "if" | "then" | "else" | "not" => "a condition",
        "$defs" | "definitions" => "a definition inside another",
        _ => "an unknown keyword",
    };
    let what = format!(
        "{reason} has no Rust form; import a copy without it, or teach xtask/src/codegen to read it"
    );
    fault(path, &what)
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
            "at $.$defs.A.properties.x.if: a condition has no Rust form; \
             import a copy without it, or teach xtask/src/codegen to read it"
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
