//! Compares the generator's model with the structs that typify generates from the stored schemas.

use super::super::structs::{serde, wire_name};
use super::structs;
use crate::codegen::merged::merge::merge;
use crate::codegen::model::ir::{Def, Enum, Field, Limits, Model, Struct, Type};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::run::models;
use crate::codegen::schemas::load::load;
use crate::codegen::schemas::simplify::simplify;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Fields by name, with true for required fields.
type Fields = BTreeMap<String, bool>;

#[test]
fn typify_reads_the_same_fields_in_each_revision() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = root.join("schema");
    let overlay = Overlay::read(root, "schema").unwrap();
    let models = models(root, &overlay).unwrap();
    let mut structs = 0;
    let mut fields = 0;
    let mut differences = Vec::new();
    for schema in load(&folder).unwrap() {
        let schema = simplify(schema, &overlay).unwrap();
        let model = models
            .iter()
            .find(|model| model.revision == schema.revision);
        let model = model.unwrap();
        for (name, mut read) in read(&schema.defs) {
            let Some(own) = fields_of(model, &name) else {
                continue;
            };
            structs += 1;
            fields += own.keys().filter(|field| read.contains_key(*field)).count();
            // Older revisions declare `_meta` only on the base type of messages.
            let inherits = name.ends_with("Params") && !read.contains_key("_meta");
            if inherits && own.get("_meta") == Some(&false) {
                read.insert("_meta".to_owned(), false);
            }
            if own != read {
                let place = format!("{} {name}", schema.revision);
                differences.push(format!("{place}: typify {read:?}, the model {own:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(
        structs >= 256 && fields >= 999,
        "{fields} fields in {structs} structs"
    );
}

fn fields_of(model: &Model, name: &str) -> Option<Fields> {
    match model.types.get(name)? {
        Def::Struct(own) => {
            let fields = own.fields.iter();
            Some(
                fields
                    .map(|(name, field)| (name.clone(), field.required))
                    .collect(),
            )
        }
        Def::Union(_) | Def::Enum(_) => None,
    }
}

fn read(defs: &Map<String, Value>) -> BTreeMap<String, Fields> {
    let root = json!({ "definitions": bare(&Value::Object(defs.clone()), true) });
    let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
    space
        .add_root_schema(serde_json::from_value(root).unwrap())
        .unwrap();
    let file: syn::File = syn::parse2(space.to_stream()).unwrap();
    let structs = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Struct(item) if matches!(item.fields, syn::Fields::Named(_)) => Some(item),
        _ => None,
    });
    let structs = structs.map(|item| {
        let has =
            |field: &syn::Field, name| serde(field).iter().any(|meta| meta.path().is_ident(name));
        let fields = item.fields.iter().filter(|field| !has(field, "flatten"));
        let fields = fields.map(|field| {
            let optional = has(field, "default") || has(field, "skip_serializing_if");
            (wire_name(field), !optional)
        });
        (item.ident.to_string(), fields.collect())
    });
    structs.collect()
}

/// Removes keywords that typify does not support. With `names`, the keys are names, not keywords.
fn bare(json: &Value, names: bool) -> Value {
    const LEFT_OUT: [&str; 4] = ["description", "title", "default", "examples"];
    match json {
        Value::Object(members) => {
            let members = members.iter();
            let members = members.filter(|(key, _)| names || !LEFT_OUT.contains(&key.as_str()));
            let members =
                members.map(|(key, json)| (key.clone(), bare(json, !names && key == "properties")));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(|item| bare(item, false)).collect(),
        _ => json.clone(),
    }
}

/// Returns the code that typify prints for types that are a struct with one field, or an enum.
fn printed(names: &[(&str, bool)]) -> Result<Vec<String>, String> {
    let def = |is_struct: bool| {
        if is_struct {
            let field = Field {
                ty: Type::Text,
                required: true,
                nullable: false,
                limits: Limits::default(),
            };
            let fields = BTreeMap::from([("field".to_owned(), field)]);
            Def::Struct(Struct {
                fields,
                open: false,
            })
        } else {
            Def::Enum(Enum::default())
        }
    };
    let types = names
        .iter()
        .map(|(name, is_struct)| ((*name).to_owned(), def(*is_struct)));
    let model = Model {
        types: types.collect(),
        ..Model::default()
    };
    let merged = merge(vec![model], &Overlay::default());
    let structs = structs(&merged).map_err(|error| error.to_string())?;
    Ok(structs.into_keys().collect())
}

#[test]
fn each_struct_is_printed_once_under_its_own_name() {
    assert_eq!(printed(&[("One", true), ("Two", false)]).unwrap(), ["One"]);
    for names in [
        &[("ModelHTTPHint", true)][..],
        &[("ModelHTTPHint", false)],
        &[("ModelHint", true), ("Model_Hint", true)],
        &[("ModelHint", true), ("Model_Hint", false)],
    ] {
        let error = printed(names).unwrap_err();
        assert!(error.contains("typify prints `Model"), "{error}");
    }
}
