//! Generates a module for each extension, from the schemas in a folder below `schema/extensions`.
//!
//! The steps are the same as for the protocol, with the overlay and the docs in the extension's folder.
//! A definition that an extension shares with a revision of the protocol is not generated again: the
//! extension uses the protocol's type.

use super::check::questions;
use super::emit::docs::Docs;
use super::emit::output::File;
use super::emit::{dispatch, enums, structs, unions};
use super::error::{Error, Result};
use super::merged::merge::Merged;
use super::model::lower;
use super::overlay::file::Overlay;
use super::overlay::kinds::{Support, SupportKind};
use super::overlay::open::Open;
use super::run::{join, module};
use super::schemas::load::{self, Schema};
use super::schemas::simplify::simplify;
use super::schemas::subschemas::referred;
use itertools::Itertools;
use mcp_bindgen::code::names::ident;
use quote::quote;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the open questions of each extension below `root`, and the files of the settled extensions.
pub(super) fn generate(root: &Path, protocol: &Merged) -> Result<(Vec<Open>, Vec<File>)> {
    let revisions = load::load(&root.join("schema"))?;
    let entries = std::fs::read_dir(root.join("schema/extensions"));
    let entries = entries.into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.map(|folder| folder.file_name().to_string_lossy().into_owned());
    let mut questions = Vec::new();
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for name in names.sorted() {
        let folder = format!("schema/extensions/{name}");
        let (overlay, merged) = merged(root, &folder, protocol, &revisions)
            .map_err(|error| Error::at(format!("extension `{name}`, below {folder}"), error))?;
        let docs = Docs::read(&root.join(folder), &merged, &overlay)?;
        let mut open = questions::of_types(&merged, &overlay, &docs);
        open.docs
            .retain(|key, _| key.split("::").next() != Some("Revision"));
        if open.is_settled() {
            files.push(file(&name, &merged, &overlay, &docs)?);
        }
        questions.push(open);
        modules.push(ident(&name));
    }
    if !modules.is_empty() {
        let items = quote!(#(pub mod #modules;)*);
        files.push(module(
            "extensions/mod",
            "Types of extensions of the protocol.",
            items,
        )?);
    }
    Ok((questions, files))
}

/// Runs the steps up to the merged model of the extension in `folder`.
fn merged(
    root: &Path,
    folder: &str,
    protocol: &Merged,
    revisions: &[Schema],
) -> Result<(Overlay, Merged)> {
    let mut overlay = Overlay::read(root, folder)?;
    overlay.inherit(Overlay::read(root, "schema")?);
    let messages = protocol.methods.values().map(|it| &it.method.name);
    let known: BTreeSet<_> = protocol.types.keys().chain(messages).collect();
    let mut models = Vec::new();
    for schema in load::load(&root.join(folder))?.into_iter().rev() {
        let shared = shared(&schema, revisions);
        let mut schema = simplify(schema, &overlay)?;
        for (name, stored) in &schema.stored_names {
            if shared.contains(stored) && known.contains(name) {
                schema.defs.remove(name);
                let name = name.clone();
                let kind = SupportKind::Type;
                overlay.support.add(name.clone(), Support { name, kind });
            }
        }
        models.push(lower::lower(&schema, &models, &overlay)?);
    }
    models.reverse();
    let merged = join(models, &overlay)?;
    Ok((overlay, merged))
}

fn file(name: &str, merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<File> {
    let enums = enums::emit(merged, docs);
    let unions = unions::emit(merged, docs);
    let structs = structs::emit(merged, overlay, docs)?;
    let methods = dispatch::methods(merged);
    let items = quote! {
        #[allow(unused_imports, reason = "the extension may need none of some kind")]
        use crate::*;
        #[allow(unused_imports, reason = "the extension may need none of some kind")]
        use crate::support::{enums::*, model::*, unions::*};

        /// The methods.
        pub mod methods { #methods }

        #enums
        #unions
        #structs
    };
    let doc = format!("Types of the extension `{name}`.");
    module(&format!("extensions/{name}"), &doc, items)
}

/// Returns the names of the definitions that equal a definition of some revision of the protocol,
/// including the definitions that they refer to.
fn shared(schema: &Schema, revisions: &[Schema]) -> BTreeSet<String> {
    let equal = schema.defs.iter().filter(|(name, def)| {
        let mut revisions = revisions.iter();
        revisions.any(|revision| revision.defs.get(*name) == Some(def))
    });
    let mut shared: BTreeSet<_> = equal.map(|(name, _)| name.clone()).collect();
    loop {
        let before = shared.clone();
        shared.retain(|name| {
            let references = references(&schema.defs[name]);
            references.iter().all(|it| before.contains(*it))
        });
        if shared == before {
            return shared;
        }
    }
}

fn references(schema: &Value) -> Vec<&str> {
    let inner = match schema {
        Value::Object(members) => members.values().flat_map(references).collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    };
    referred(schema).into_iter().chain(inner).collect()
}
