//! Generates the model of a single revision, for `cargo xtask bindings`.

use super::emit::docs::Docs;
use super::emit::output::File;
use super::model::ir::{Def, Member, Model, Union};
use super::overlay::file::Overlay;
use super::run::{join, models, modules};
use anyhow::bail;
use itertools::Itertools;
use std::collections::BTreeMap;
use std::path::Path;

/// Generates the modules of a model with only `revision`.
///
/// The names are the same as in the merged model, so a program can switch between the two.
pub(crate) fn single(root: &Path, revision: &str) -> anyhow::Result<[File; 7]> {
    let mut overlay = Overlay::read(root, "schema")?;
    // Only the merged model has former names. A field that the merged model fills with an empty string
    // is an argument here.
    overlay.alias.retain(|_| false);
    overlay.fill.retain(|fill| fill.value != "\"\"");
    let mut models = models(root, &overlay)?;
    let stored = models.iter().map(|model| &model.revision).join(", ");
    models.retain(|model| model.revision == revision);
    let [model] = &mut models[..] else {
        bail!("`{revision}` is not a stored revision; stored are: {stored}");
    };
    without_lone_members(model);
    let merged = join(models, &overlay)?;
    overlay.decisions.take(&overlay.folder).settled()?;
    let docs = Docs::read(&root.join("schema"), &merged, &overlay)?;
    Ok(modules(&merged, &overlay, &docs)?)
}

/// Replaces a union that has a single member in this revision by its member.
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
