//! Merges each `allOf` of objects into one object.

use super::load::Schema;
use super::subschemas::{ALTERNATIVES, each, referred};
use crate::codegen::error::{Error, Result};
use serde_json::{Map, Value, json};

/// Returns the definitions of `schema` without `allOf`.
pub(crate) fn merge(schema: &Schema) -> Result<Map<String, Value>> {
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
    /// Definitions in progress; each one is a part of the previous one.
    path: Vec<String>,
    errors: Vec<Error>,
}

impl Merging<'_> {
    fn fault(&mut self, at: &str, what: &str) {
        self.errors.push(self.schema.fault(at, what));
    }

    /// Returns the definition `name` without `allOf`.
    fn definition(&mut self, name: &str) -> Value {
        if let Some(done) = self.done.get(name) {
            return done.clone();
        }
        let at = self.schema.pointer(name);
        let name = name.to_owned();
        if self.path.contains(&name) {
            let path = self.path.join(" -> ");
            self.fault(&at, &format!("refers to itself: {path} -> {name}"));
            self.done.insert(name, json!({ "type": "object" }));
            return json!({ "type": "object" });
        }
        let mut def = self.schema.defs[&name].clone();
        self.path.push(name.clone());
        each(&mut def, &at, &mut |json, at| self.schema_at(json, at));
        if let Some(target) = referred(&def) {
            self.definition(target);
        }
        self.path.pop();
        each(&mut def, &at, &mut |json, at| self.check_required(json, at));
        self.done.entry(name).or_insert(def).clone()
    }

    /// Merges the parts of one schema. Its subschemas must already be merged.
    fn schema_at(&mut self, json: &mut Value, at: &str) {
        let Some(Value::Array(parts)) = json.as_object_mut().and_then(|it| it.remove("allOf"))
        else {
            return;
        };
        let is_alone = json.as_object().is_some_and(Map::is_empty);
        if let (true, [only]) = (is_alone, &parts[..]) {
            *json = only.clone();
            return;
        }
        json["type"] = "object".into();
        for (index, part) in parts.into_iter().enumerate() {
            let at = format!("{at}/allOf/{index}");
            let part = self.resolved(part);
            if part.get("type").is_none_or(|kind| kind != "object") {
                self.fault(&at, "only objects can be merged");
                continue;
            }
            if let Err(path) = narrow(json, &part) {
                let what = format!(
                    "another part of the `allOf` has other words for `{path}`; \
                     add a [[repair]] after which both agree"
                );
                self.fault(&at, &what);
            }
        }
    }

    /// Follows the references of a part to an object.
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

/// Restricts a schema to values that are also valid for `more`, or returns the place where the schemas
/// disagree.
fn narrow(json: &mut Value, more: &Value) -> std::result::Result<(), String> {
    if json.is_null() || *json == json!({}) {
        *json = more.clone();
    }
    if json == more || *more == json!({}) {
        return Ok(());
    }
    let mut forms = ALTERNATIVES.iter().chain(&["$ref"]);
    let is_mixed = forms.any(|form| json.get(form).or(more.get(form)).is_some());
    let (Some(own), Some(members), false) = (json.as_object_mut(), more.as_object(), is_mixed)
    else {
        return Err(String::new());
    };
    if !members.contains_key("nullable") {
        own.remove("nullable");
    }
    for (key, value) in members {
        match (key.as_str(), own.get_mut(key)) {
            (_, Some(own)) if own == value => {}
            ("required", Some(Value::Array(own))) => {
                own.extend(value.as_array().into_iter().flatten().cloned());
            }
            ("properties", Some(own)) => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    let place = |path| format!("/{name}{path}");
                    narrow(&mut own[name], field).map_err(place)?;
                }
            }
            ("additionalProperties" | "items", Some(own)) => narrow(own, value)?,
            (_, Some(_)) => return Err(format!("/{key}")),
            ("nullable", None) => {}
            (_, None) => drop(own.insert(key.clone(), value.clone())),
        }
    }
    Ok(())
}
