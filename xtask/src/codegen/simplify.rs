//! JSON in, simpler JSON out: repairs applied, definitions renamed, `allOf` merged.
//!
//! Afterwards each definition goes by its Rust name and says everything about
//! itself in one object, so that the next step has fewer forms to understand.

use super::error::{Error, Result};
use super::load::Schema;
use super::names::without_acronyms;
use super::overlay::Overlay;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Prepares one revision for [`super::lower`].
pub(crate) fn simplify(mut schema: Schema, overlay: &Overlay) -> Result<Schema> {
    let mut document = Value::Object(std::mem::take(&mut schema.defs));
    repair(&mut document, &schema.revision, overlay)?;
    let mut stored_names = BTreeMap::new();
    let names = Names {
        revision: &schema.revision,
        overlay,
    };
    names.rename_references(&mut document);
    let Value::Object(defs) = document else {
        return Ok(schema);
    };
    let mut renamed = Map::new();
    for (stored, def) in defs {
        let name = names.rename(&stored);
        // A second word for a renamed definition would refer to itself.
        if referred(&def) != Some(name.as_str()) {
            stored_names.insert(name.clone(), stored);
            renamed.insert(name, def);
        }
    }
    let defs = renamed;
    schema.stored_names = stored_names;
    for (name, def) in &defs {
        let path = format!("$.$defs.{name}");
        let merged = merge_all_of(def, &defs, &schema.revision, &path)?;
        schema.defs.insert(name.clone(), merged);
    }
    Ok(schema)
}

/// Sets what the published schema lost.
fn repair(document: &mut Value, revision: &str, overlay: &Overlay) -> Result<()> {
    let entries = overlay.repair.matching(|entry| match &entry.revisions {
        Some(revisions) => revisions.iter().any(|one| one == revision),
        None => document.pointer(&entry.at).is_some_and(Value::is_object),
    });
    for entry in entries.collect::<Vec<_>>() {
        let fault = |what: String| Error::Schema {
            revision: revision.to_owned(),
            path: entry.at.clone(),
            what: format!("the repair in overlay.toml does not apply: {what}"),
        };
        let members: Map<String, Value> =
            serde_json::from_str(&entry.set).map_err(|error| fault(error.to_string()))?;
        match document
            .pointer_mut(&entry.at)
            .and_then(Value::as_object_mut)
        {
            Some(target) => target.extend(members),
            None => return Err(fault("there is no such object".into())),
        }
    }
    Ok(())
}

/// The renaming of definitions in one revision.
struct Names<'a> {
    revision: &'a str,
    overlay: &'a Overlay,
}

impl Names<'_> {
    fn rename(&self, name: &str) -> String {
        let meant = |revision: &String| revision == self.revision;
        let mut entry = self
            .overlay
            .rename
            .matching(|entry| entry.from == name && entry.revision.as_ref().is_none_or(meant));
        match entry.next() {
            Some(entry) => entry.to.clone(),
            None => {
                let acronyms = self
                    .overlay
                    .acronyms
                    .matching(|word| name.contains(&word.from));
                without_acronyms(name, acronyms.map(|word| (&*word.from, &*word.to)))
            }
        }
    }

    fn rename_references(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match member {
                        Value::String(target) if key == "$ref" => {
                            let name = self.rename(target.trim_start_matches("#/$defs/"));
                            *target = format!("#/$defs/{name}");
                        }
                        _ => self.rename_references(member),
                    }
                }
            }
            Value::Array(members) => {
                members
                    .iter_mut()
                    .for_each(|member| self.rename_references(member));
            }
            _ => {}
        }
    }
}

/// The definition that `schema` refers to, or `None` if it is not a reference.
pub(crate) fn referred(schema: &Value) -> Option<&str> {
    let target = schema.get("$ref")?.as_str()?;
    target.strip_prefix("#/$defs/")
}

/// Replaces each `allOf` of objects by one object that has it all.
fn merge_all_of(
    schema: &Value,
    defs: &Map<String, Value>,
    revision: &str,
    path: &str,
) -> Result<Value> {
    match schema {
        Value::Array(members) => {
            let members = members.iter().enumerate();
            members
                .map(|(i, member)| merge_all_of(member, defs, revision, &format!("{path}[{i}]")))
                .collect()
        }
        Value::Object(members) => {
            let mut out = Map::new();
            for (key, member) in members.iter().filter(|(key, _)| *key != "allOf") {
                let path = format!("{path}.{key}");
                out.insert(key.clone(), merge_all_of(member, defs, revision, &path)?);
            }
            let Some(Value::Array(parts)) = members.get("allOf") else {
                return Ok(Value::Object(out));
            };
            let mut merged = json!({ "type": "object" });
            for part in parts {
                let target = referred(part)
                    .and_then(|name| defs.get(name))
                    .unwrap_or(part);
                let part = merge_all_of(target, defs, revision, path)?;
                add_object(&mut merged, &part).ok_or_else(|| Error::Schema {
                    revision: revision.to_owned(),
                    path: format!("{path}.allOf"),
                    what: "only objects can be merged".into(),
                })?;
            }
            add_object(&mut merged, &Value::Object(out));
            Ok(merged)
        }
        _ => Ok(schema.clone()),
    }
}

/// Adds the fields of `part` to `whole`; a field of both is an object's refinement.
fn add_object(whole: &mut Value, part: &Value) -> Option<()> {
    let part = part.as_object()?;
    let whole = whole.as_object_mut()?;
    for (key, value) in part {
        match (key.as_str(), whole.get_mut(key), value) {
            ("required", Some(Value::Array(names)), Value::Array(more)) => {
                names.extend(more.iter().cloned());
                names.sort_by_key(Value::to_string);
                names.dedup();
            }
            ("properties", Some(Value::Object(fields)), Value::Object(more)) => {
                fields.extend(
                    more.iter()
                        .map(|(name, field)| (name.clone(), field.clone())),
                );
            }
            ("additionalProperties", Some(_), _) => {}
            _ => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
    Some(())
}
