//! The steps in order, nothing else.

use super::docs::Docs;
use super::error::Result;
use super::merge::{Merged, merge};
use super::output::{File, write};
use super::overlay::Overlay;
use super::{dispatch, enums, keys, load, lower, normalise, structs, types, unions};
use quote::quote;
use std::path::Path;

/// What `cargo xtask codegen` can be told.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Change nothing; fail if a generated file is out of date.
    #[arg(long)]
    check: bool,
    /// Print each key that docs.toml must have, with the revisions it is for.
    #[arg(long, conflicts_with = "check")]
    list_doc_keys: bool,
}

/// Generates the model below `root`, or checks it, or lists what to document.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    let overlay = Overlay::read(root)?;
    let merged = merged(root, &overlay)?;
    if options.list_doc_keys {
        return Ok(keys::list(&merged));
    }
    let docs = Docs::read(root, &merged)?;
    write(root, &files(&merged, &overlay, &docs)?, options.check)
}

/// The steps up to the one model.
fn merged(root: &Path, overlay: &Overlay) -> Result<Merged> {
    let mut models = Vec::new();
    for schema in load::load(root)?.into_iter().rev() {
        let schema = normalise::normalise(schema, overlay)?;
        models.push(lower::lower(&schema, &models, overlay)?);
    }
    models.reverse();
    merge(models, overlay)
}

/// The steps from the one model to code.
fn files(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<Vec<File>> {
    let printed = types::structs(merged)?;
    let structs = structs::emit(merged, overlay, docs, &printed);
    let enums = enums::emit(merged, docs);
    let unions = unions::emit(merged, docs);
    Ok(vec![
        File::rust(
            "mcp-types/src/generated/mod.rs",
            "The protocol's types: one model for all revisions.",
            quote! {
                mod enums;
                pub mod error_codes;
                mod messages;
                pub mod meta_keys;
                pub mod methods;
                mod model;
                mod unions;

                pub use enums::*;
                pub use messages::*;
                pub use model::*;
                pub use unions::*;
            },
        )?,
        File::rust(
            "mcp-types/src/generated/model.rs",
            "The structs of all revisions.",
            quote! {
                use super::*;
                use crate::support::structs::*;
                #structs
            },
        )?,
        File::rust(
            "mcp-types/src/generated/enums.rs",
            "The string enums of all revisions.",
            quote! {
                #[allow(unused_imports, reason = "for links in the documentation")]
                use super::*;
                use crate::support::enums::*;
                #enums
            },
        )?,
        File::rust(
            "mcp-types/src/generated/unions.rs",
            "The unions of all revisions.",
            quote! {
                use super::*;
                use crate::support::unions::*;
                #unions
            },
        )?,
        File::rust(
            "mcp-types/src/generated/messages.rs",
            "The messages of all revisions, each with its method, parameters and result.",
            {
                let markers = dispatch::markers(merged);
                quote! {
                    use super::methods;
                    use crate::method::{Notification, Request};
                    #markers
                }
            },
        )?,
        File::rust(
            "mcp-types/src/generated/methods.rs",
            "The methods of all revisions, by name.",
            dispatch::methods(merged),
        )?,
        File::rust(
            "mcp-types/src/generated/meta_keys.rs",
            "The keys of `_meta` that the specification reserves.",
            dispatch::meta_keys(merged, overlay),
        )?,
        File::rust(
            "mcp-types/src/generated/error_codes.rs",
            "The error codes that the protocol adds to those of JSON-RPC.",
            dispatch::codes(merged),
        )?,
    ])
}
