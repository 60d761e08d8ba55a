//! Builds the [`Model`] of one revision from its schema.
//!
//! The model has only the types that a message can contain. The names of the other definitions are in
//! [`Model::unreached`].

use super::ir::{Def, Model, Type};
use super::lowering::{Lowering, Site, fields, has_field, is_transparent};
use crate::codegen::error::{Error, Result};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Definition;
use crate::codegen::schemas::load::Schema;
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;
use std::collections::BTreeSet;

/// Builds the model of one revision. `newer` has the models of the newer revisions, newest first.
pub(crate) fn lower(schema: &Schema, newer: &[Model], overlay: &Overlay) -> Result<Model> {
    let mut lowering = Lowering::new(schema, newer, overlay);
    lowering.messages();
    let reached = &lowering.model.types;
    let kept = overlay.keep.matching(|entry| {
        schema.defs.contains_key(&entry.name) && !reached.contains_key(&entry.name)
    });
    for Definition { name, .. } in kept.collect::<Vec<_>>() {
        lowering.reference(name, Site::new(name, None));
    }
    lowering.errors.extend(endless(&lowering));
    Error::none(std::mem::take(&mut lowering.errors))?;
    lowering.model.unreached = unreached(&lowering);
    Ok(lowering.model)
}

/// Returns an error for each struct that requires a value of its own type: such a value would be infinite.
fn endless(lowering: &Lowering<'_>) -> Vec<Error> {
    let model = &lowering.model;
    let mut errors = Vec::new();
    for name in model.types.keys() {
        let mut required = BTreeSet::new();
        let mut open = vec![name];
        while let Some(Def::Struct(def)) = open.pop().and_then(|name| model.types.get(name)) {
            let fields = def.fields.values();
            for field in fields.filter(|field| field.required && !field.nullable) {
                if let Type::Named(inner) = &field.ty
                    && matches!(model.types.get(inner), Some(Def::Struct(_)))
                    && required.insert(inner)
                {
                    open.push(inner);
                }
            }
        }
        if required.contains(name) {
            let at = model.origins.get(name).map_or("/$defs", String::as_str);
            let what = "requires a value of its own type; make a field optional with a [[repair]]";
            errors.push(lowering.schema.fault(at, what));
        }
    }
    errors
}

/// Returns the names of definitions with content that is not in the model.
///
/// JSON-RPC envelopes, definitions that only these refer to, and unions whose members are all in the
/// model are left out.
fn unreached(lowering: &Lowering<'_>) -> BTreeSet<String> {
    let defs = &lowering.schema.defs;
    let envelopes = defs.values().filter(|json| is_envelope(json));
    let parts = envelopes.flat_map(|json| fields(json).into_iter().flatten());
    let by_envelope: BTreeSet<_> = parts.filter_map(|(_, part)| referred(part)).collect();
    let is_settled = |name: &str| {
        let json = &defs.get(name).unwrap_or(&Value::Null);
        is_envelope(json)
            || by_envelope.contains(name)
            || lowering.reached.contains(name)
            || lowering.overlay.support.has(|entry| entry.name == name)
            || is_transparent(json)
    };
    defs.iter()
        .filter(|(name, json)| !is_settled(name) && !is_covered(json, &is_settled))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Returns true if a schema has only references to settled definitions.
fn is_covered(json: &Value, is_settled: &dyn Fn(&str) -> bool) -> bool {
    match (referred(json), alternatives(json), json.get("items")) {
        (Some(name), _, _) => is_settled(name),
        (None, Some(all), _) => all.iter().all(|one| is_covered(one, is_settled)),
        (None, None, Some(items)) => is_covered(items, is_settled),
        (None, None, None) => false,
    }
}

/// Returns true for a JSON-RPC message, or for a base type of messages.
fn is_envelope(json: &Value) -> bool {
    has_field(json, "jsonrpc") || has_field(json, "method")
}
