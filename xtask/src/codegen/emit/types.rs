//! Lets typify print the structs.
//!
//! typify reads JSON Schema, so the model is converted to a schema first. Definitions that typify must
//! not print are replaced by the Rust types with their names.

use super::rust;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedStruct, Shape};
use crate::codegen::model::ir::Type;
use mcp_bindgen::code::names::pascal;
use mcp_bindgen::code::printer::Printer;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the structs as typify prints them.
pub(crate) fn structs(merged: &Merged) -> Result<BTreeMap<String, syn::ItemStruct>> {
    let mut schema = Schema {
        merged,
        printer: Printer::new("OrderedMap"),
    };
    for (name, ty) in &merged.types {
        match &ty.shape {
            Shape::Struct(structure) => schema.define(name, structure),
            Shape::Enum(_) | Shape::Union(_) => schema.printer.replace(name, name),
        }
    }
    Ok(schema.printer.print()?)
}

/// The error for a struct that typify does not print exactly once under its name.
pub(crate) const FAULT: &str = "twice, under another name, or not at all";

/// The merged model as JSON Schema.
struct Schema<'a> {
    merged: &'a Merged,
    printer: Printer,
}

impl Schema<'_> {
    fn define(&mut self, name: &str, structure: &MergedStruct) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (wire, field) in structure.stored() {
            let mut schema = self.of(&field.ty);
            if field.is_option() {
                schema = json!({ "oneOf": [schema, { "type": "null" }] });
            }
            properties.insert(wire.clone(), schema);
            required.extend(field.always.then_some(wire.as_str()));
        }
        self.printer.define(name, properties, required);
    }

    fn of(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Text | Type::Constant(_) => json!({ "type": "string" }),
            Type::Bool => json!({ "type": "boolean" }),
            Type::Number => json!({ "type": "number" }),
            Type::Integer { signed: false } => json!({ "type": "integer", "format": "uint64" }),
            Type::List(item) => json!({ "type": "array", "items": self.of(item) }),
            Type::Map(item) => json!({ "type": "object", "additionalProperties": self.of(item) }),
            Type::Nullable(inner) => json!({ "oneOf": [self.of(inner), { "type": "null" }] }),
            // The largest integer that typify knows has 64 bits.
            Type::Integer { signed: true }
            | Type::Json { .. }
            | Type::Object { .. }
            | Type::OneOrMany(_)
            | Type::Named(_) => {
                let path = rust::stored(ty).to_string();
                let name = pascal(&path);
                if !self.merged.types.contains_key(&name) {
                    self.printer.replace(&name, &path);
                }
                json!({ "$ref": format!("#/definitions/{name}") })
            }
        }
    }
}

#[cfg(test)]
mod tests;
