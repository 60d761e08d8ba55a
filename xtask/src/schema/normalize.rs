//! A published schema in, its structure out.
//!
//! Published revisions differ in dialect, order and prose. The generator and
//! the diff need none of that, so it is removed once, here: prose goes,
//! `definitions` becomes `$defs`, `true` becomes `{}`, keys and `required` are
//! sorted. A keyword is dropped only where a keyword can stand: a property that
//! is *called* `description` stays.
//!
//! Any other keyword decides which Rust type a value gets, or limits a value
//! within its type. The generator reads all of the first kind that pass here.
//! The rest is refused with its path, so that nothing is lost later.

use super::error::Fault;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

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

/// The largest integer of JavaScript, which some tools write as the limit of each integer.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Names of JSON Schema's types.
const TYPES: &str = "array, boolean, integer, null, number, object, string";

/// Limits that are stored for the diff; the generated types allow more.
const UNCHECKED: &[&str] = &[
    "contentEncoding",
    "contentMediaType",
    "default",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxLength",
    "maxProperties",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "pattern",
    "propertyNames",
    "uniqueItems",
];

/// The structure of a published schema.
pub(super) struct Normal {
    /// Exactly two keys, `$defs` and `$schema`.
    pub(super) document: Value,
    /// Limits in it that the generated types do not check.
    pub(super) unchecked: BTreeSet<String>,
}

/// Reduces a published schema to its structure.
///
/// The error names the first place that the normal form has no word for.
pub(super) fn normalize(document: &Value) -> Result<Normal, Fault> {
    let (path, definitions) = definitions(document)?;
    let mut normalizer = Normalizer {
        definitions,
        unchecked: BTreeSet::new(),
    };
    let definitions = normalizer.schema_map(definitions, path)?;
    Ok(Normal {
        document: object([
            ("$defs".to_owned(), definitions),
            ("$schema".to_owned(), Value::from(DIALECT)),
        ]),
        unchecked: normalizer.unchecked,
    })
}

/// The definitions of a document that has nothing else, and their path.
fn definitions(document: &Value) -> Result<(&'static str, &Map<String, Value>), Fault> {
    let root = |what| fault("$", what);
    let (key, path) = match (document.get("$defs"), document.get("definitions")) {
        (Some(_), Some(_)) => Err(root(
            "both `$defs` and `definitions`; move all definitions into `$defs`",
        )),
        (None, None) => Err(root(
            "neither `$defs` nor `definitions`: not a protocol schema",
        )),
        (Some(_), None) => Ok(("$defs", "$.$defs")),
        (None, Some(_)) => Ok(("definitions", "$.definitions")),
    }?;
    if let Some((other, _)) = structure(document).find(|(other, _)| *other != key) {
        let what = "only definitions are read at the root; give this a definition of its own";
        return Err(fault(&format!("$.{other}"), what));
    }
    let definitions = document[key].as_object().filter(|it| !it.is_empty());
    let definitions = definitions.ok_or_else(|| fault(path, "expected at least one definition"))?;
    Ok((path, definitions))
}

/// The members of a schema that do more than comment.
fn structure(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let members = schema.as_object().into_iter().flatten();
    members.filter(|(keyword, _)| !PROSE.contains(&keyword.as_str()))
}

struct Normalizer<'a> {
    definitions: &'a Map<String, Value>,
    unchecked: BTreeSet<String>,
}

impl Normalizer<'_> {
    fn schema(&mut self, value: &Value, path: &str) -> Result<Value, Fault> {
        let normal = self.part(value, path)?;
        check_required(&normal, path)?;
        Ok(normal)
    }

    /// A schema that, inside an `allOf`, may require the fields of another one.
    fn part(&mut self, value: &Value, path: &str) -> Result<Value, Fault> {
        if value.is_boolean() {
            return Ok(if value == true {
                object([])
            } else {
                value.clone()
            });
        } else if !value.is_object() {
            return Err(fault(path, "expected a schema: an object or a boolean"));
        }
        if let Some(values) = constants(value) {
            let kind = Value::from("string");
            return Ok(object([
                ("enum".to_owned(), values),
                ("type".to_owned(), kind),
            ]));
        }
        let is_reference = value.get("$ref").is_some();
        let mut normal = Vec::new();
        for (keyword, member) in structure(value) {
            let path = format!("{path}.{keyword}");
            match keyword.as_str() {
                "not" if is_true(member) && structure(value).count() == 1 => {
                    return Ok(Value::from(false));
                }
                "maximum" | "minimum"
                    if member.as_i64().map(i64::abs) == Some(MAX_SAFE_INTEGER) => {}
                "propertyNames" if is_true(member) || *member == json!({ "type": "string" }) => {}
                "$ref" | "default" => {
                    normal.push((keyword.clone(), self.member(keyword, member, &path)?));
                }
                _ if is_reference => {
                    let what = "the `$ref` beside it hides it; put both into an `allOf`";
                    return Err(fault(&path, what));
                }
                _ => normal.push((keyword.clone(), self.member(keyword, member, &path)?)),
            }
        }
        Ok(object(normal))
    }

    /// The normal form of one keyword's value.
    fn member(&mut self, keyword: &str, value: &Value, path: &str) -> Result<Value, Fault> {
        match (keyword, value) {
            ("$ref", _) => self.reference(value, path),
            ("required", _) => Ok(Value::from(sorted_names(value, path)?)),
            ("type", _) => types(value, path),
            ("const", _) => Ok(value.clone()),
            ("enum", Value::Array(values)) if !values.is_empty() => Ok(value.clone()),
            ("enum", _) => Err(fault(path, "expected a list of values")),
            ("items", Value::Array(_)) => Err(refused("prefixItems", path)),
            ("additionalProperties" | "items", _) => self.schema(value, path),
            ("allOf" | "anyOf" | "oneOf", _) => self.schema_list(value, path),
            ("properties", Value::Object(members)) => self.schema_map(members, path),
            ("properties", _) => Err(fault(path, "expected an object of schemas")),
            _ => self.limit(keyword, value, path),
        }
    }

    /// A keyword that limits values within their type.
    fn limit(&mut self, keyword: &str, value: &Value, path: &str) -> Result<Value, Fault> {
        match keyword {
            "maxItems" | "maximum" | "minimum" if value.is_number() => return Ok(value.clone()),
            "maxItems" | "maximum" | "minimum" => return Err(fault(path, "expected a number")),
            _ if !UNCHECKED.contains(&keyword) => return Err(refused(keyword, path)),
            _ => self.unchecked.insert(keyword.to_owned()),
        };
        match keyword {
            "propertyNames" => self.schema(value, path),
            _ => Ok(value.clone()),
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

    fn schema_list(&mut self, value: &Value, path: &str) -> Result<Value, Fault> {
        let members = value.as_array().filter(|members| !members.is_empty());
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
    fn schema_map(&mut self, members: &Map<String, Value>, path: &str) -> Result<Value, Fault> {
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
fn constants(schema: &Value) -> Option<Value> {
    let mut keywords = structure(schema);
    let (Some(("anyOf" | "oneOf", Value::Array(alternatives))), None) = (
        keywords.next().map(|(keyword, it)| (keyword.as_str(), it)),
        keywords.next(),
    ) else {
        return None;
    };
    let values = alternatives.iter().map(|alternative| {
        let mut members = structure(alternative);
        let is_constant =
            members.all(|(key, it)| key == "const" || key == "type" && it == "string");
        let value = alternative
            .get("const")
            .filter(|it| it.is_string() && is_constant)?;
        Some(value.clone())
    });
    let values = values.collect::<Option<Vec<_>>>()?;
    (!values.is_empty()).then(|| Value::from(values))
}

/// Refuses a required field that is no property.
fn check_required(schema: &Value, path: &str) -> Result<(), Fault> {
    let names = schema.get("required").and_then(Value::as_array);
    let is_declared = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        schema["properties"].get(name).is_some() || schema.get("allOf").is_some()
    };
    match names.into_iter().flatten().find(|name| !is_declared(name)) {
        Some(name) => Err(fault(
            &format!("{path}.required"),
            &format!("{name} is no property; declare it, as `{{}}` if it is any JSON"),
        )),
        None => Ok(()),
    }
}

/// One type by its name, or several as a list.
fn types(value: &Value, path: &str) -> Result<Value, Fault> {
    let names = match value.as_str() {
        Some(name) => vec![name.to_owned()],
        None => sorted_names(value, path)?,
    };
    match names
        .iter()
        .find(|name| !TYPES.split(", ").any(|it| it == *name))
    {
        Some(name) => Err(fault(path, &format!("`{name}` is none of {TYPES}"))),
        None if names.is_empty() => Err(fault(path, "expected at least one type")),
        None if names.len() == 1 => Ok(Value::from(names.concat())),
        None => Ok(Value::from(names)),
    }
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

/// A keyword that the generator does not read.
fn refused(keyword: &str, path: &str) -> Fault {
    let reason = match keyword {
        "additionalItems" | "prefixItems" | "unevaluatedItems" => "a list typed by position",
        "patternProperties" | "unevaluatedProperties" => "fields typed by the form of their names",
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
        let normal = normalize(&published).unwrap().document;
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
        let text = |document| normalize(document).unwrap().document.to_string();
        assert_eq!(text(&one), text(&other));
        assert!(text(&one).find("\"A\"") < text(&one).find("\"B\""));
    }

    #[test]
    fn faults_name_their_path() {
        let at = |document| normalize(&document).err().unwrap().to_string();
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
