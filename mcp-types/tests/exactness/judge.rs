//! Validates values against the stored schemas, independently of the model.
//!
//! The schemas are closed first: an object may have only the properties that its schema names, unless
//! the schema explicitly allows others. Otherwise a field of another revision would pass.

use crate::cases::{RAW, REPAIRS};
use jsonschema::ValidatorMap;
use mcp_types::Revision;
use serde_json::{Map, Value, json};

/// The schema of one revision, changed to reject unknown properties.
pub(crate) struct Judge {
    pub(crate) schema: Value,
    validators: ValidatorMap,
}

impl Judge {
    pub(crate) fn new(revision: Revision) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema");
        let text = std::fs::read_to_string(format!("{folder}/{revision}.json")).unwrap();
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        repair(&mut schema["$defs"], revision);
        let defs = schema["$defs"].clone();
        merge_all_of(&mut schema["$defs"], &defs);
        inherit_meta(&mut schema["$defs"]);
        strip_envelope(&mut schema["$defs"]);
        close(&mut schema["$defs"]);
        let validators = jsonschema::options().build_map(&schema).unwrap();
        Self { schema, validators }
    }

    /// Returns the reason why `value` does not match the schema at `pointer`.
    pub(crate) fn fault(&self, pointer: &str, value: &Value) -> Option<String> {
        let validator = self.validators.get(&format!("#{pointer}"));
        let validator = validator.unwrap_or_else(|| panic!("no schema at {pointer}"));
        let error = validator.validate(value).err()?;
        Some(format!("{error} (at {})", error.instance_path()))
    }
}

fn repair(defs: &mut Value, revision: Revision) {
    let repairs = REPAIRS
        .iter()
        .filter(|repair| repair.revisions.contains(&revision.as_str()));
    for repair in repairs {
        // A repair for all revisions applies only to schemas that have the place.
        if let Some(Value::Object(target)) = defs.pointer_mut(repair.at) {
            let members: Map<String, Value> = serde_json::from_str(repair.set).unwrap();
            for (name, member) in members {
                match member {
                    Value::Null => drop(target.remove(&name)),
                    member => drop(target.insert(name, member)),
                }
            }
        }
    }
}

/// Merges `allOf` into a single object schema, which can be closed.
fn merge_all_of(schema: &mut Value, defs: &Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(parts)) = members.remove("allOf") {
                members.insert("type".into(), json!("object"));
                for part in parts {
                    let name = part["$ref"]
                        .as_str()
                        .map(|name| name.replace("#/$defs/", ""));
                    let part = name.map_or(&part, |name| &defs[&name]).clone();
                    add_object(members, &part);
                }
            }
            members
                .values_mut()
                .for_each(|member| merge_all_of(member, defs));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| merge_all_of(item, defs)),
        _ => {}
    }
}

fn add_object(members: &mut Map<String, Value>, part: &Value) {
    for (name, property) in part["properties"].as_object().unwrap() {
        members.entry("properties").or_insert(json!({}))[name] = property.clone();
    }
    let required = members
        .entry("required")
        .or_insert(json!([]))
        .as_array_mut()
        .unwrap();
    for name in part["required"].as_array().into_iter().flatten() {
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    if let Some(more) = part.get("additionalProperties") {
        members.insert("additionalProperties".into(), more.clone());
    }
}

/// Adds `_meta` to the parameters of all messages, because older schemas declare it only on base
/// types.
fn inherit_meta(defs: &mut Value) {
    for (base, suffix) in [("Request", "Request"), ("Notification", "Notification")] {
        let meta = defs[base]
            .pointer("/properties/params/properties/_meta")
            .cloned();
        let Some(meta) = meta else { continue };
        for (name, def) in defs.as_object_mut().unwrap() {
            let params = def.pointer_mut("/properties/params/properties");
            if let (true, Some(Value::Object(fields))) = (name.ends_with(suffix), params) {
                fields.entry("_meta").or_insert(meta.clone());
            }
        }
    }
}

/// Removes the JSON-RPC envelope of messages, which is not part of the model.
fn strip_envelope(defs: &mut Value) {
    for def in defs.as_object_mut().unwrap().values_mut() {
        if def.pointer("/properties/method/const").is_none() {
            continue;
        }
        let fields = def["properties"].as_object_mut().unwrap();
        fields.retain(|name, _| name == "method" || name == "params");
        let required = def["required"].as_array_mut().unwrap();
        required.retain(|name| name == "method" || name == "params");
    }
}

/// Disallows properties that are not named, except inside values that the model keeps as text.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_object = members.get("type").is_some_and(|kind| kind == "object");
            if is_object && members.get("properties").is_some_and(Value::is_object) {
                members
                    .entry("additionalProperties")
                    .or_insert(json!(false));
            }
            for (name, member) in members {
                if !RAW.contains(&name.as_str()) {
                    close(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
