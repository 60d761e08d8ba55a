//! One revision in, its own model out, as `cargo xtask bindings` prints it.

use super::emit::docs::Docs;
use super::emit::output::File;
use super::error::{Error, Result};
use super::merged::merge::{Merged, Shape};
use super::model::ir::{Def, Member, Model, Union};
use super::overlay::file::Overlay;
use super::run::{constants, join, models, module, types};
use proc_macro2::TokenStream;
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
    let mut merged = join(models, &overlay)?;
    overlay.decisions.settled()?;
    require(&mut merged, &overlay);
    let docs = Docs::read(&root.join("schema"), &merged)?;
    let types = types(&merged, &overlay, &docs, &TokenStream::new())?;
    let modules = types.into_iter().chain(constants(&merged, &overlay));
    let files = modules.map(|(name, doc, items)| module(name, doc, false, &items));
    files.collect()
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
    let lone = model.types.iter().filter_map(|(name, def)| match def {
        Def::Union(Union { members }) => match &members[..] {
            [Member { ty, method: None }] => Some((name.clone(), ty.name()?.to_owned())),
            _ => None,
        },
        _ => None,
    });
    let lone: BTreeMap<_, _> = lone.collect();
    model.types.retain(|name, _| !lone.contains_key(name));
    let mut names = Vec::new();
    for def in model.types.values_mut() {
        match def {
            Def::Struct(def) => {
                let fields = def.fields.values_mut();
                names.extend(fields.filter_map(|field| field.ty.name_mut()));
            }
            Def::Union(def) => {
                let members = def.members.iter_mut();
                names.extend(members.filter_map(|member| member.ty.name_mut()));
            }
            Def::Enum(_) => {}
        }
    }
    for method in model.methods.values_mut() {
        names.push(&mut method.params);
        names.extend(&mut method.result);
    }
    for name in names {
        if let Some(member) = lone.get(name) {
            name.clone_from(member);
        }
    }
}
