//! One revision in, its own model out, as `cargo xtask bindings` prints it.

use super::emit::docs::Docs;
use super::emit::output::File;
use super::error::{Error, Result};
use super::merged::merge::{Merged, Shape};
use super::model::ir::{Def, Member, Model, Union};
use super::overlay::entries::Entries;
use super::overlay::file::Overlay;
use super::run::{join, models, modules};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::path::Path;

/// The modules of a model that has `revision` alone.
///
/// Names are those of the merged model, so that a program can move from one to
/// the other.
pub(crate) fn single(root: &Path, revision: &str) -> Result<[File; 7]> {
    let mut overlay = Overlay::read(root, "schema")?;
    // Only the merged model keeps former names.
    overlay.alias = Entries::default();
    let mut models = models(root, &overlay)?;
    let stored = models.iter().map(|model| &model.revision).join(", ");
    models.retain(|model| model.revision == revision);
    let [model] = &mut models[..] else {
        let revision = revision.to_owned();
        return Err(Error::Revision { revision, stored });
    };
    without_lone_members(model);
    let mut merged = join(models, &overlay)?;
    overlay.decisions.take(&overlay.folder).settled()?;
    require(&mut merged, &overlay);
    let docs = Docs::read(&root.join("schema"), &merged)?;
    modules(&merged, &overlay, &docs)
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
    let replace = |name: Option<&mut String>| {
        if let Some(name) = name
            && let Some(member) = lone.get(name)
        {
            name.clone_from(member);
        }
    };
    for def in model.types.values_mut() {
        match def {
            Def::Struct(def) => {
                let fields = def.fields.values_mut();
                fields.for_each(|field| replace(field.ty.name_mut()));
            }
            Def::Union(def) => {
                let members = def.members.iter_mut();
                members.for_each(|member| replace(member.ty.name_mut()));
            }
            Def::Enum(_) => {}
        }
    }
    for method in model.methods.values_mut() {
        replace(Some(&mut method.params));
        replace(method.result.as_mut());
    }
}
