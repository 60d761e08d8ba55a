//! One revision in, its own model out, as `cargo xtask bindings` prints it.

use super::docs::Docs;
use super::error::{Error, Result};
use super::ir::{Def, Member, Model, Type, Union};
use super::merge::{Merged, Shape, merge};
use super::output::File;
use super::overlay::Overlay;
use super::run::{models, module};
use super::{check_forms, check_names, dispatch, enums, structs, unions};
use std::collections::BTreeMap;
use std::path::Path;

/// The modules of a model that has `revision` alone.
///
/// Names are those of the merged model, so that a program can move from one to
/// the other.
pub(crate) fn single(root: &Path, revision: &str) -> Result<Vec<File>> {
    let overlay = Overlay::read(&root.join("schema"))?;
    let mut models = models(root, &overlay)?;
    let stored: Vec<_> = models.iter().map(|model| model.revision.clone()).collect();
    models.retain(|model| model.revision == revision);
    if models.is_empty() {
        return Err(Error::Revision {
            revision: revision.to_owned(),
            stored: stored.join(", "),
        });
    }
    models.iter_mut().for_each(without_lone_members);
    let mut merged = merge(models, &overlay);
    require(&mut merged, &overlay);
    check_forms::check(&merged, &overlay);
    merged.identifiers = check_names::check(&merged, &overlay)?;
    overlay.decisions.settled()?;
    let docs = Docs::read(&root.join("schema"), &merged)?;
    let structs = structs::emit(&merged, &overlay, &docs)?;
    let messages = "The messages, each with its method, parameters and result.";
    let codes = "The error codes that the protocol adds to those of JSON-RPC.";
    let meta_keys = dispatch::meta_keys(&merged, &overlay);
    [
        ("enums", "The string enums.", enums::emit(&merged, &docs)),
        ("unions", "The unions.", unions::emit(&merged, &docs)),
        ("model", "The structs.", structs),
        ("messages", messages, dispatch::markers(&merged)),
        ("methods", "The methods.", dispatch::methods(&merged)),
        ("error_codes", codes, dispatch::codes(&merged)),
        ("meta_keys", "Reserved keys of `_meta`.", meta_keys),
    ]
    .into_iter()
    .map(|(name, doc, items)| module(name, doc, false, &items))
    .collect()
}

/// Makes arguments of the fields that have no value to speak of: those filled with no text.
fn require(merged: &mut Merged, overlay: &Overlay) {
    for (name, ty) in &mut merged.types {
        if let Shape::Struct(structure) = &mut ty.shape {
            for (wire, field) in &mut structure.fields {
                let fill = overlay.fill.at(&format!("{name}.{wire}"));
                let is_empty = fill.is_some_and(|fill| fill.value == "\"\"");
                field.always |= is_empty && field.required == ty.known;
            }
        }
    }
}

/// Puts the only member of a union, which has more in newer revisions, in the union's place.
fn without_lone_members(model: &mut Model) {
    let lone = |def: &Def| match def {
        Def::Union(Union { members }) => match &members[..] {
            [Member { ty, method: None }] => ty.name().map(str::to_owned),
            _ => None,
        },
        _ => None,
    };
    let types = model.types.iter();
    let members: BTreeMap<_, _> = types
        .filter_map(|(name, def)| Some((name.clone(), lone(def)?)))
        .collect();
    model.types.retain(|name, _| !members.contains_key(name));
    for def in model.types.values_mut() {
        match def {
            Def::Struct(def) => {
                let fields = def.fields.values_mut();
                fields.for_each(|field| replace(&mut field.ty, &members));
            }
            Def::Union(def) => {
                let alternatives = def.members.iter_mut();
                alternatives.for_each(|member| replace(&mut member.ty, &members));
            }
            Def::Enum(_) => {}
        }
    }
    for method in model.methods.values_mut() {
        for name in [&mut method.params, &mut method.result]
            .into_iter()
            .flatten()
        {
            if let Some(member) = members.get(name) {
                name.clone_from(member);
            }
        }
    }
}

fn replace(ty: &mut Type, members: &BTreeMap<String, String>) {
    match ty {
        Type::Named(name) => {
            if let Some(member) = members.get(name) {
                name.clone_from(member);
            }
        }
        Type::List(item) | Type::Map(item) | Type::OneOrMany(item) | Type::Nullable(item) => {
            replace(item, members);
        }
        _ => {}
    }
}
