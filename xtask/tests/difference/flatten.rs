//! Flattens schemas, independently of the tool's code.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A place: the definitions on the path to it, each with the rest of the path, and the keywords with
/// their values.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) trail: Vec<(String, String)>,
    pub(crate) facts: BTreeSet<(String, String)>,
}

/// Returns all places of all definitions, including the places behind references.
pub(crate) fn flatten(definitions: &Value) -> BTreeMap<String, Place> {
    let mut places = BTreeMap::new();
    for (name, definition) in definitions.as_object().unwrap() {
        let mut walk = Walk {
            definitions,
            trail: vec![(name.clone(), String::new())],
            places: &mut places,
        };
        walk.schema(name, definition);
    }
    places
}

struct Walk<'a, 'p> {
    definitions: &'a Value,
    trail: Vec<(String, String)>,
    places: &'p mut BTreeMap<String, Place>,
}

impl Walk<'_, '_> {
    fn fact(&mut self, path: &str, keyword: &str, value: &str) {
        let place = self.places.entry(path.to_owned()).or_default();
        if place.trail.is_empty() {
            place.trail = self.trail.clone();
        }
        place.facts.insert((keyword.to_owned(), value.to_owned()));
    }

    fn inside(&mut self, path: &str, step: &str, schema: &Value, required: bool) {
        let local = self.trail.last().unwrap().1.clone();
        self.trail.last_mut().unwrap().1 = format!("{local}{step}");
        let path = format!("{path}{step}");
        self.fact(&path, "present", "");
        if required {
            self.fact(&path, "required", "");
        }
        self.schema(&path, schema);
        self.trail.last_mut().unwrap().1 = local;
    }

    fn reference(&mut self, path: &str, name: &str) {
        if self.trail.iter().any(|(known, _)| known == name) {
            return;
        }
        self.trail.push((name.to_owned(), String::new()));
        let definitions = self.definitions;
        self.schema(path, &definitions[name]);
        self.trail.pop();
    }

    fn schema(&mut self, path: &str, schema: &Value) {
        let Some(keywords) = schema.as_object() else {
            return self.fact(path, "schema", &schema.to_string());
        };
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let name = value.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.fact(path, "$ref", name);
                    self.reference(path, name);
                }
                "allOf" => value
                    .as_array()
                    .unwrap()
                    .iter()
                    .for_each(|part| self.schema(path, part)),
                "anyOf" | "oneOf" => self.alternatives(path, keyword, value),
                "properties" => {
                    let required = keywords.get("required").and_then(Value::as_array);
                    for (name, member) in value.as_object().unwrap() {
                        let required =
                            required.is_some_and(|names| names.contains(&name.as_str().into()));
                        self.inside(path, &format!(".{name}"), member, required);
                    }
                }
                "required" => {}
                "items" => self.inside(path, "[]", value, false),
                "additionalProperties" if value.as_object().is_some_and(|map| !map.is_empty()) => {
                    self.inside(path, "{}", value, false);
                }
                "enum" => {
                    for value in value.as_array().unwrap() {
                        self.fact(path, keyword, &value.to_string());
                    }
                }
                _ => self.fact(path, keyword, &value.to_string()),
            }
        }
    }

    fn alternatives(&mut self, path: &str, keyword: &str, parts: &Value) {
        for part in parts.as_array().unwrap() {
            self.fact(path, keyword, &part.to_string());
            if let Some(name) = part["$ref"].as_str() {
                let name = name.strip_prefix("#/$defs/").unwrap();
                self.reference(&format!("{path}|{name}"), name);
            }
        }
    }
}
