//! The merged structs in, Rust structs out, printed by typify.
//!
//! typify reads JSON Schema, so the model is written as one. A definition that
//! typify is not to print is replaced by the Rust type of its name.

use super::rust;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{Merged, MergedStruct, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::model::names::pascal;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Each struct as typify prints it.
pub(crate) fn structs(merged: &Merged) -> Result<BTreeMap<String, syn::ItemStruct>> {
    let mut schema = Schema {
        merged,
        definitions: Map::new(),
        settings: typify::TypeSpaceSettings::default(),
    };
    for (name, ty) in &merged.types {
        match &ty.shape {
            Shape::Struct(structure) => schema.define(name, structure),
            Shape::Enum(_) | Shape::Union(_) => schema.replace(name, name),
        }
    }
    let mut structs = BTreeMap::new();
    for item in schema.print()?.items {
        if let syn::Item::Struct(item) = item {
            let name = item.ident.to_string();
            let is_asked = merged.structure(&name).is_some();
            if !is_asked || structs.insert(name.clone(), item).is_some() {
                return Err(Error::printed(&name, FAULT));
            }
        }
    }
    Ok(structs)
}

/// What is wrong with a struct that is not there under its name once.
pub(crate) const FAULT: &str = "twice, under another name, or not at all";

/// Parts of typify's output, and what the generated code has instead.
const SHORT: [(&str, &str); 11] = [
    // All keys of maps are strings.
    ("OrderedMap < :: std :: string :: String ,", "OrderedMap <"),
    (":: std :: string :: ", ""),
    (":: std :: vec :: ", ""),
    (":: std :: option :: ", ""),
    (":: std :: boxed :: ", ""),
    (":: serde :: ", ""),
    ("\"::std::option::", "\""),
    // A recursive field where it is met from outside; it would not be left out when absent.
    ("Box < Option <", "Option < Box <"),
    ("default)]", "skip_serializing_if = \"Option::is_none\")]"),
    // PHP writes an empty object as an empty list, which is read if each field has a default.
    ("skip_serializing_if", "default , skip_serializing_if"),
    ("deserialize_with = \"Option::deserialize\"", "default"),
];

/// The merged model as JSON Schema.
struct Schema<'a> {
    merged: &'a Merged,
    definitions: Map<String, Value>,
    settings: typify::TypeSpaceSettings,
}

impl Schema<'_> {
    fn define(&mut self, name: &str, structure: &MergedStruct) {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (wire, field) in structure.stored() {
            let mut schema = self.of(&field.ty);
            if field.is_option() {
                schema = json!({ "oneOf": [schema, { "type": "null" }] });
            }
            properties.insert(wire.clone(), schema);
            required.extend(field.always.then_some(wire));
        }
        // An object of which nothing is known would be a map.
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        self.definitions.insert(name.to_owned(), schema);
    }

    /// A definition that stands for the Rust type `path`.
    fn replace(&mut self, name: &str, path: &str) {
        self.definitions.insert(name.to_owned(), json!({}));
        self.settings
            .with_replacement(name, path, std::iter::empty());
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
                    self.replace(&name, &path);
                }
                json!({ "$ref": format!("#/definitions/{name}") })
            }
        }
    }

    /// The output of typify, with short paths.
    fn print(mut self) -> Result<syn::File> {
        let settings = self.settings.with_derive("PartialEq".to_owned());
        let mut space = typify::TypeSpace::new(settings.with_map_type("OrderedMap"));
        let root = json!({ "definitions": self.definitions });
        let root = serde_json::from_value(root)
            .map_err(Error::file(Path::new("the schema for typify")))?;
        space.add_root_schema(root)?;
        let mut code = space.to_stream().to_string();
        for (long, short) in SHORT {
            code = code.replace(long, short);
        }
        syn::parse_file(&code).map_err(Error::syntax("the output of typify"))
    }
}

#[cfg(test)]
mod tests;
