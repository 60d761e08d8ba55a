//! Each `allOf` of objects, as one object that has it all.

use super::error::{Error, Result};
use super::load::Schema;
use super::subschemas::{each, referred};
use serde_json::{Map, Value, json};

/// The definitions of `schema` without `allOf`.
pub(super) fn merge(schema: &Schema) -> Result<Map<String, Value>> {
    let mut merging = Merging {
        schema,
        done: Map::new(),
        path: Vec::new(),
        errors: Vec::new(),
    };
    for name in schema.defs.keys() {
        merging.definition(name);
    }
    Error::none(merging.errors)?;
    Ok(merging.done)
}

struct Merging<'a> {
    schema: &'a Schema,
    /// Definitions without `allOf`.
    done: Map<String, Value>,
    /// Definitions in progress, each a part of the one before.
    path: Vec<&'a str>,
    errors: Vec<Error>,
}

impl<'a> Merging<'a> {
    fn fault(&mut self, at: &str, what: &str) {
        self.errors.push(self.schema.fault(at, what));
    }

    /// The definition `name` without `allOf`.
    fn definition(&mut self, name: &str) -> Value {
        if let Some(done) = self.done.get(name) {
            return done.clone();
        }
        let schema = self.schema;
        let at = schema.pointer(name);
        let Some((name, def)) = schema.defs.get_key_value(name) else {
            return json!({});
        };
        if self.path.contains(&name.as_str()) {
            let path = self.path.join(" -> ");
            self.fault(&at, &format!("`allOf` contains itself: {path} -> {name}"));
            return json!({ "type": "object" });
        }
        let mut def = def.clone();
        self.path.push(name);
        each(&mut def, &at, &mut |json, at| self.schema_at(json, at));
        self.path.pop();
        each(&mut def, &at, &mut |json, at| self.check_required(json, at));
        self.done.insert(name.clone(), def.clone());
        def
    }

    /// Merges the parts of one schema; the schemas inside of it are merged already.
    fn schema_at(&mut self, json: &mut Value, at: &str) {
        let Some(Value::Array(mut parts)) = json.as_object_mut().and_then(|it| it.remove("allOf"))
        else {
            return;
        };
        let is_alone = json.as_object().is_some_and(Map::is_empty);
        if let (true, [only]) = (is_alone, &parts[..]) {
            *json = only.clone();
            return;
        }
        json["type"] = "object".into();
        parts.push(json.take());
        *json = json!({ "type": "object" });
        for (index, part) in parts.into_iter().enumerate() {
            let at = format!("{at}/allOf/{index}");
            let part = self.resolved(part);
            if part.get("type").is_none_or(|kind| kind != "object") {
                self.fault(&at, "only objects can be merged");
                continue;
            }
            match both(json, &part) {
                Ok(merged) => *json = merged,
                Err(path) => self.fault(
                    &at,
                    &format!(
                        "another part of the `allOf` has other words for `{path}`; \
                         add a [[repair]] after which both agree"
                    ),
                ),
            }
        }
    }

    /// The object that a part refers to, or is.
    fn resolved(&mut self, mut part: Value) -> Value {
        while let Some(name) = referred(&part).map(str::to_owned) {
            part = self.definition(&name);
        }
        part
    }

    /// Refuses a required field that has no schema.
    fn check_required(&mut self, json: &Value, at: &str) {
        for name in json["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if json["properties"].get(name).is_none() {
                let what = format!(
                    "`{name}` is required, but `properties` has no schema for it; \
                     add one with a [[repair]]"
                );
                self.fault(at, &what);
            }
        }
    }
}

/// The schema of what is valid for both, or the place where they disagree.
fn both(a: &Value, b: &Value) -> std::result::Result<Value, String> {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else {
        return Err(String::new());
    };
    if a == b || b.is_empty() {
        return Ok(a.clone().into());
    }
    let mut out = a.clone();
    for (key, value) in b {
        let merged = match (key.as_str(), a.get(key), value) {
            (_, None, _) => value.clone(),
            (_, Some(own), _) if own == value => continue,
            ("required", Some(Value::Array(own)), Value::Array(more)) => {
                let mut names = [&own[..], more].concat();
                names.sort_by_key(Value::to_string);
                names.dedup();
                names.into()
            }
            ("properties", Some(Value::Object(own)), Value::Object(more)) => {
                let mut fields = own.clone();
                for (name, field) in more {
                    let field = match own.get(name) {
                        Some(own) => both(own, field).map_err(|path| format!("/{name}{path}"))?,
                        None => field.clone(),
                    };
                    fields.insert(name.clone(), field);
                }
                fields.into()
            }
            ("additionalProperties" | "items", Some(own), _) => both(own, value)?,
            _ => return Err(format!("/{key}")),
        };
        out.insert(key.clone(), merged);
    }
    if a.get("nullable") != b.get("nullable") {
        out.remove("nullable");
    }
    let is_mixed = ["$ref", "anyOf", "oneOf"]
        .iter()
        .any(|form| out.contains_key(*form));
    match is_mixed && !a.is_empty() {
        true => Err(String::new()),
        false => Ok(out.into()),
    }
}
