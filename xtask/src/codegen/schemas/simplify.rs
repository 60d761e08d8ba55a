//! Simplifies a schema: applies repairs, renames definitions, and merges `allOf`.
//!
//! Afterwards each definition has its Rust name and is a single object, so the next step has fewer forms
//! to support. A nullable schema has `"nullable": true` instead of an alternative `null`.

use super::all_of;
use super::keywords::check;
use super::load::{Schema, escape};
use super::subschemas::{ALTERNATIVES, each, referred};
use crate::codegen::error::Result;
use crate::codegen::model::names::without_acronyms;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::Proposal;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Fails if a schema that is about to be stored in `folder` has unsupported parts.
pub(crate) fn check_before_import(folder: &Path, revision: &str, document: &Value) -> Result<()> {
    let overlay = if folder.join("overlay.toml").exists() {
        Overlay::read(folder, "")?
    } else {
        Overlay::default()
    };
    let defs = document["$defs"].as_object().cloned().unwrap_or_default();
    simplify(Schema::new(revision, defs), &overlay).map(drop)
}

/// Prepares one revision for [`crate::codegen::model::lower`].
pub(crate) fn simplify(mut schema: Schema, overlay: &Overlay) -> Result<Schema> {
    let mut document = Value::Object(std::mem::take(&mut schema.defs));
    repair(&mut document, &schema, overlay)?;
    if let Value::Object(defs) = document {
        schema.defs = defs;
    }
    check(&schema, overlay)?;
    for def in schema.defs.values_mut() {
        each(def, "", &mut |json, _| plain(json));
    }
    schema.defs = all_of::merge(&schema)?;
    rename(&mut schema, overlay);
    Ok(schema)
}

/// Applies the repairs in `overlay.toml`: sets members, or removes those that are set to null.
fn repair(document: &mut Value, schema: &Schema, overlay: &Overlay) -> Result<()> {
    let entries = overlay.repair.matching(|entry| match &entry.revisions {
        Some(revisions) => revisions.contains(&schema.revision),
        None => document.pointer(&entry.at).is_some_and(Value::is_object),
    });
    for entry in entries.collect::<Vec<_>>() {
        let fault = |what: String| {
            let what = format!("the repair in overlay.toml does not apply: {what}");
            schema.fault(&format!("/$defs{}", entry.at), &what)
        };
        let members: Map<String, Value> =
            serde_json::from_str(&entry.set).map_err(|error| fault(error.to_string()))?;
        let target = document.pointer_mut(&entry.at);
        let target = target.and_then(Value::as_object_mut);
        let target = target.ok_or_else(|| fault("there is no such object".into()))?;
        for (key, member) in members {
            match member {
                Value::Null => drop(target.remove(&key)),
                member => drop(target.insert(key, member)),
            }
        }
    }
    Ok(())
}

/// Simplifies one schema. Its subschemas must already be simplified.
fn plain(schema: &mut Value) {
    if *schema == true {
        *schema = json!({});
    }
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let mut nullable = without_null(members, "type", |kind| kind == "null");
    nullable |= without_null(members, "enum", Value::is_null);
    for form in ALTERNATIVES {
        nullable |= without_null(members, form, |member| *member == json!({"type": "null"}));
        let Some(Value::Array(alternatives)) = members.get_mut(form) else {
            continue;
        };
        for member in alternatives.iter_mut().filter_map(Value::as_object_mut) {
            nullable |= member.remove("nullable").is_some();
        }
        if let [Value::Object(only)] = &mut alternatives[..] {
            *members = std::mem::take(only);
        }
    }
    if members.get("const").is_some_and(Value::is_null) {
        *members = Map::from_iter([("type".to_owned(), json!("null"))]);
    }
    match members.get("type") {
        Some(Value::Array(kinds)) if kinds.len() == 1 => {
            let kind = kinds[0].clone();
            members.insert("type".into(), kind);
        }
        Some(Value::Array(kinds)) if kinds.iter().any(|it| it == "object" || it == "array") => {
            let each = kinds.iter().map(|kind| {
                let mut one = members.clone();
                one.insert("type".into(), kind.clone());
                Value::Object(one)
            });
            let each = each.collect();
            *members = Map::from_iter([("anyOf".to_owned(), Value::Array(each))]);
        }
        _ => {}
    }
    if nullable {
        members.insert("nullable".into(), json!(true));
    }
}

/// Removes null from the list in the member `key`. Returns true if the list had a null.
fn without_null(members: &mut Map<String, Value>, key: &str, is_null: fn(&Value) -> bool) -> bool {
    let Some(Value::Array(list)) = members.get_mut(key) else {
        return false;
    };
    let before = list.len();
    list.retain(|value| !is_null(value));
    let nullable = list.len() < before;
    if list.is_empty() {
        *members = Map::from_iter([("type".to_owned(), json!("null"))]);
        return false;
    }
    nullable
}

/// Renames definitions, and the references to them, to their Rust names.
fn rename(schema: &mut Schema, overlay: &Overlay) {
    let mut renamed: Map<String, Value> = Map::new();
    for (stored, mut def) in std::mem::take(&mut schema.defs) {
        each(&mut def, "", &mut |json, _| {
            if let Some(name) =
                referred(json).map(|name| rust_name(name, &schema.revision, overlay))
            {
                json["$ref"] = format!("#/$defs/{name}").into();
            }
        });
        let name = rust_name(&stored, &schema.revision, overlay);
        // An alias of a definition that was renamed to the alias would refer to itself.
        if referred(&def) == Some(&name) {
            continue;
        }
        if let Some(other) = schema.stored_names.get(&name) {
            let at = format!("/$defs/{}", escape(&stored));
            let what = format!("`{other}` and `{stored}` would both be called `{name}`");
            let entry = Proposal::of("rename")
                .with("revision", &*schema.revision)
                .with("from", &*stored)
                .with("to", "");
            schema.ask(overlay, &at, &what, entry.reason());
            continue;
        }
        schema.stored_names.insert(name.clone(), stored);
        renamed.insert(name, def);
    }
    schema.defs = renamed;
}

fn rust_name(name: &str, revision: &str, overlay: &Overlay) -> String {
    let meant = |only: &String| only == revision;
    let mut entries = overlay
        .rename
        .matching(|entry| entry.from == name && entry.revision.as_ref().is_none_or(meant));
    match entries.next() {
        Some(entry) => entry.to.clone(),
        None => {
            let acronyms = overlay.acronyms.matching(|word| name.contains(&word.from));
            without_acronyms(name, acronyms.map(|word| (&*word.from, &*word.to)))
        }
    }
}
