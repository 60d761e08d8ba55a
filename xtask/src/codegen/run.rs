//! The steps in order, nothing else.

use super::docs::Docs;
use super::error::Result;
use super::ir::Model;
use super::merge::{Merged, merge};
use super::output::{File, write};
use super::overlay::Overlay;
use super::{
    availability, borrowed, conform, dispatch, enums, revisions, strategies, structs, types, unions,
};
use super::{keys, listing, load, lower, normalise, rust};
use proc_macro2::TokenStream;
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
    let merged = merge(models(root, &overlay)?, &overlay)?;
    if options.list_doc_keys {
        return Ok(keys::list(&merged));
    }
    let docs = Docs::read(root, &merged)?;
    write(root, &files(&merged, &overlay, &docs)?, options.check)
}

/// The steps up to one model for each revision, oldest first.
pub(super) fn models(root: &Path, overlay: &Overlay) -> Result<Vec<Model>> {
    let mut models = Vec::new();
    for schema in load::load(root)?.into_iter().rev() {
        let schema = normalise::normalise(schema, overlay)?;
        models.push(lower::lower(&schema, &models, overlay)?);
    }
    models.reverse();
    Ok(models)
}

/// The steps from the one model to code.
fn files(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<Vec<File>> {
    let modules = [
        module(
            "enums",
            "The string enums of all revisions.",
            true,
            &enums::emit(merged, docs),
        ),
        module(
            "unions",
            "The unions of all revisions.",
            true,
            &unions::emit(merged, docs),
        ),
        module(
            "model",
            "The structs of all revisions.",
            true,
            &structs::emit(merged, overlay, docs, &types::structs(merged)?),
        ),
        module(
            "borrowed",
            "Parameters borrowed from the message they came in.",
            true,
            &borrowed::emit(merged, overlay, docs)?,
        ),
        module(
            "messages",
            "The messages of all revisions, each with its method, parameters and result.",
            true,
            &dispatch::markers(merged),
        ),
        module(
            "availability",
            "Which revision has what, as data.",
            true,
            &availability::emit(merged, overlay)?,
        ),
        module(
            "conform",
            "Each type made into what a revision allows.",
            true,
            &conform::emit(merged, overlay)?,
        ),
        module(
            "revisions",
            "The revisions that have a stored schema.",
            true,
            &revisions::emit(merged, docs),
        ),
        module(
            "methods",
            "The methods of all revisions, by name.",
            false,
            &dispatch::methods(merged),
        ),
        module(
            "meta_keys",
            "The keys of `_meta` that the specification reserves.",
            false,
            &dispatch::meta_keys(merged, overlay),
        ),
        module(
            "error_codes",
            "The error codes that the protocol adds to those of JSON-RPC.",
            false,
            &dispatch::codes(merged),
        ),
    ];
    let map = File::rust(
        "mcp-types/src/generated/mod.rs".into(),
        "The protocol's types: one model for all revisions.",
        quote! {
            pub(crate) mod availability;
            mod borrowed;
            mod conform;
            mod enums;
            pub mod error_codes;
            mod messages;
            pub mod meta_keys;
            pub mod methods;
            mod model;
            mod revisions;
            mod unions;

            pub use borrowed::*;
            pub use enums::*;
            pub use messages::*;
            pub use model::*;
            pub use revisions::*;
            pub use unions::*;
        },
    );
    let list = File::rust(
        "mcp-types/tests/generated/types.rs".into(),
        "The types of the model, for checks that treat each alike.",
        listing::types(merged),
    );
    let strategies = strategies::emit(merged, overlay);
    let strategies = File::rust(
        "mcp-types/tests/exactness/strategies.rs".into(),
        "Values of every type, and where each schema has it.",
        quote! {
            use crate::support::*;
            #strategies
        },
    );
    [map, list, strategies].into_iter().chain(modules).collect()
}

/// A module of the generated code; with `scope`, it sees the model and its support.
pub(super) fn module(name: &str, doc: &str, scope: bool, items: &TokenStream) -> Result<File> {
    let support = rust::ident(name);
    let imports = scope.then(|| {
        quote! {
            #[allow(unused_imports, reason = "some only for links in the documentation")]
            use super::*;
            use crate::support::#support::*;
        }
    });
    let path = format!("mcp-types/src/generated/{name}.rs");
    File::rust(path, doc, quote!(#imports #items))
}
