//! Extensions of the protocol: for each folder below `schema/extensions`, a module of its own.
//!
//! The steps are those of the protocol itself, with the overlay and the documentation in the
//! extension's folder. A definition that an extension shares with a revision of the protocol
//! is not generated again: it stands for the protocol's type.

use super::check::arguments;
use super::emit::dispatch;
use super::emit::docs::Docs;
use super::emit::enums;
use super::emit::output::File;
use super::emit::rust;
use super::emit::structs;
use super::emit::unions;
use super::error::{Error, Result};
use super::merged::merge::Merged;
use super::model::lower;
use super::overlay::file::Overlay;
use super::overlay::kinds::{Support, SupportKind};
use super::overlay::open::Open;
use super::run;
use super::schemas::load::{self, Schema};
use super::schemas::simplify::simplify;
use super::schemas::subschemas::referred;
use quote::quote;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The modules of all extensions, and the one that holds them.
pub(crate) fn files(root: &Path, protocol: &Merged) -> Result<Vec<File>> {
    let entries = std::fs::read_dir(root.join("schema/extensions"));
    let entries = entries.into_iter().flatten().flatten();
    let paths: BTreeSet<_> = entries.map(|entry| entry.path()).collect();
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for folder in paths.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let file = module(root, &folder, &name, protocol);
        files.push(file.map_err(|source| Error::Extension {
            name: name.to_string(),
            source: Box::new(source),
        })?);
        modules.push(rust::ident(&name));
    }
    if !files.is_empty() {
        files.push(File::rust(
            "mcp-types/src/generated/extensions/mod.rs".into(),
            "Types of extensions of the protocol.",
            quote!(#(pub mod #modules;)*),
        )?);
    }
    Ok(files)
}

fn module(root: &Path, folder: &Path, name: &str, protocol: &Merged) -> Result<File> {
    let mut overlay = Overlay::read(folder)?;
    overlay.inherit(Overlay::read(&root.join("schema"))?);
    let revisions = load::load(&root.join("schema"))?;
    let mut models = Vec::new();
    for schema in load::load(folder)?.into_iter().rev() {
        let shared = revisions.iter().flat_map(|one| shared(&schema, one));
        let shared: BTreeSet<_> = shared.collect();
        let mut schema = simplify(schema, &overlay)?;
        let types = protocol_types(&schema, &shared, protocol);
        schema.defs.retain(|name, _| !types.contains(name));
        let types = types.into_iter().map(|name| Support {
            name,
            kind: SupportKind::Type,
            reason: "a type of the protocol".into(),
        });
        overlay.support.inherit(types.collect::<Vec<_>>().into());
        models.push(lower::lower(&schema, &models, &overlay)?);
    }
    models.reverse();
    let merged = run::join(models, &overlay)?;
    let docs = Docs::read(folder, &merged)?;
    settled(&merged, &overlay, &docs)?;
    let (enums, unions) = (enums::emit(&merged, &docs), unions::emit(&merged, &docs));
    let structs = structs::emit(&merged, &overlay, &docs)?;
    let methods = dispatch::methods(&merged);
    File::rust(
        format!("mcp-types/src/generated/extensions/{name}.rs"),
        &format!("Types of the extension `{name}`."),
        quote! {
            #[allow(unused_imports, reason = "the extension may need none of some kind")]
            use crate::*;
            #[allow(unused_imports, reason = "the extension may need none of some kind")]
            use crate::support::{enums::*, model::*, unions::*};

            /// The methods.
            pub mod methods { #methods }

            #enums
            #unions
            #structs
        },
    )
}

/// Fails with what the overlay and the documentation leave open.
fn settled(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<()> {
    let (mut docs, stale_docs) = docs.gaps();
    docs.retain(|key, _| key.split("::").next() != Some("Revision"));
    let mut unused = arguments::ask(merged, overlay);
    unused.extend(overlay.unused());
    let open = Open {
        decisions: overlay.decisions.take(),
        docs,
        stale_docs,
        unused,
        ..Open::default()
    };
    open.settled().map(drop)
}

/// Names of those definitions that the protocol has as types or messages.
fn protocol_types(
    schema: &Schema,
    shared: &BTreeSet<String>,
    protocol: &Merged,
) -> BTreeSet<String> {
    let messages = || protocol.methods.values().map(|it| &it.method.name);
    let known =
        |name: &String| protocol.types.contains_key(name) || messages().any(|it| it == name);
    let stored = schema.stored_names.iter();
    let types = stored.filter(|(name, stored)| shared.contains(*stored) && known(name));
    types.map(|(name, _)| name.clone()).collect()
}

/// Names of the definitions that two schemas have in common, with all that they refer to.
fn shared(one: &Schema, other: &Schema) -> BTreeSet<String> {
    let equal = one
        .defs
        .iter()
        .filter(|(name, def)| other.defs.get(*name) == Some(def));
    let mut shared: BTreeSet<_> = equal.map(|(name, _)| name.clone()).collect();
    loop {
        let before = shared.clone();
        shared.retain(|name| {
            references(&one.defs[name])
                .iter()
                .all(|it| before.contains(*it))
        });
        if shared == before {
            return shared;
        }
    }
}

/// The definitions that a schema refers to.
fn references(schema: &Value) -> Vec<&str> {
    let inner = match schema {
        Value::Object(members) => members.values().flat_map(references).collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    };
    referred(schema).into_iter().chain(inner).collect()
}
