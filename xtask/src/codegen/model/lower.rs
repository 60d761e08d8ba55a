//! JSON in, [`Model`] out: what one revision's schema says, in the generator's terms.
//!
//! Only what a message can contain is taken over; the names of the rest are
//! kept as [`Model::unreached`].

use super::ir::{Def, Model, Type};
use super::lowering::{Lowering, Site, fields, has_field, is_transparent};
use crate::codegen::error::{Error, Result};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Definition;
use crate::codegen::schemas::load::Schema;
use crate::codegen::schemas::subschemas::{alternatives, referred};
use serde_json::Value;
use std::collections::BTreeSet;

/// Takes over one revision; `newer` holds the ones after it, newest first.
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

/// An error for each struct that requires a value of itself, of which none is finite.
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

/// The names of definitions with content that was not taken over.
///
/// Left out are the JSON-RPC envelopes and what only these refer to, and unions all of whose
/// members were taken over.
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

/// Whether a schema has nothing but references to definitions that are settled.
fn is_covered(json: &Value, is_settled: &dyn Fn(&str) -> bool) -> bool {
    match (referred(json), alternatives(json), json.get("items")) {
        (Some(name), _, _) => is_settled(name),
        (None, Some(all), _) => all.iter().all(|one| is_covered(one, is_settled)),
        (None, None, Some(items)) => is_covered(items, is_settled),
        (None, None, None) => false,
    }
}

/// Whether a definition is a JSON-RPC message, or a base of those without a method of its own.
fn is_envelope(json: &Value) -> bool {
    has_field(json, "jsonrpc") || has_field(json, "method")
}
