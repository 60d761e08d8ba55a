//! The merged structs in, Rust structs out, printed by typify.
//!
//! typify reads JSON Schema, so each struct is written down once more in the
//! small part of it that typify prints well: scalars as they are, and for all
//! else a reference that stands for a Rust type.

use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, MergedStruct, Shape};
use super::rust;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Each struct as typify prints it.
pub(crate) fn structs(merged: &Merged) -> Result<BTreeMap<String, syn::ItemStruct>> {
    let mut references = References::default();
    let mut definitions = Map::new();
    for (name, ty) in &merged.types {
        if let Shape::Struct(structure) = &ty.shape {
            definitions.insert(name.clone(), schema(structure, &mut references));
        }
    }
    let mut settings = typify::TypeSpaceSettings::default();
    for (reference, ty) in &references.names {
        definitions.insert(reference.clone(), json!({}));
        settings.with_replacement(reference, ty, std::iter::empty());
    }
    let root = json!({ "definitions": definitions });
    let syntax = |source| Error::Json {
        file: "the schema for typify".into(),
        source,
    };
    let mut space = typify::TypeSpace::new(&settings);
    space.add_root_schema(serde_json::from_value(root).map_err(syntax)?)?;
    let file = syn::parse2(space.to_stream()).map_err(|source| Error::Syntax {
        file: "the output of typify".into(),
        source,
    })?;
    Ok(structs_of(file))
}

fn structs_of(file: syn::File) -> BTreeMap<String, syn::ItemStruct> {
    let structs = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Struct(item) => Some((item.ident.to_string(), item)),
        _ => None,
    });
    structs.collect()
}

/// Names that stand for Rust types.
#[derive(Default)]
struct References {
    names: BTreeMap<String, String>,
}

impl References {
    fn to(&mut self, ty: &Type) -> Value {
        let path = rust::stored(ty).to_string();
        let words = path
            .split(|c: char| !c.is_alphanumeric())
            .map(super::names::pascal);
        let name = format!("Is{}", words.collect::<String>());
        let reference = json!({ "$ref": format!("#/definitions/{name}") });
        self.names.insert(name, path);
        reference
    }
}

fn schema(structure: &MergedStruct, references: &mut References) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, field) in structure.stored() {
        if field.always {
            required.push(name.clone());
        }
        properties.insert(
            name.clone(),
            field_schema(&field.ty, field.nullable, references),
        );
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn field_schema(ty: &Type, nullable: bool, references: &mut References) -> Value {
    let (kind, format) = match ty {
        Type::Text => ("string", None),
        Type::Bool => ("boolean", None),
        Type::Number => ("number", Some("double")),
        Type::Integer { signed: false } => ("integer", Some("uint64")),
        _ if nullable => return json!({ "oneOf": [references.to(ty), { "type": "null" }] }),
        _ => return references.to(ty),
    };
    let mut schema = json!({ "type": kind });
    if let Some(format) = format {
        schema["format"] = json!(format);
    }
    if nullable {
        schema["type"] = json!([kind, "null"]);
    }
    schema
}
