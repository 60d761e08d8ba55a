//! The steps in order, nothing else.

use super::by_revision::{availability, conform, revisions};
use super::check::{aliases, forms as check_forms, identifiers as check_names, questions};
use super::emit::docs::Docs;
use super::emit::output::{File, write};
use super::emit::{dispatch, enums, listing, structs, unions};
use super::error::{Error, Result};
use super::extensions;
use super::merged::merge::{Merged, merge};
use super::merged::{conflicts, keys};
use super::model::ir::Model;
use super::model::lower;
use super::overlay::file::Overlay;
use super::overlay::open::Open;
use super::schemas::{load, simplify};
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;

/// Options of `cargo xtask codegen`.
#[derive(Default, clap::Args)]
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
    let (overlay, merged) = merged(root)?;
    if options.list_doc_keys {
        return Ok(keys::list(&merged));
    }
    let docs = Docs::read(&root.join("schema"), &merged)?;
    let (extensions, of_extensions) = extensions::generate(root, &merged)?;
    let open = questions::ask(root, &merged, &overlay, &docs);
    let open = Open { extensions, ..open }.settled()?;
    let mut files = files(&merged, &overlay, &docs, !of_extensions.is_empty())?;
    files.extend(of_extensions);
    Ok(write(root, &files, options.check)? + &open.to_string())
}

/// What has to be settled before [`run()`] generates code below `root`, and what will change.
pub(crate) fn open(root: &Path) -> Result<Open> {
    let (overlay, merged) = merged(root)?;
    let docs = Docs::read(&root.join("schema"), &merged)?;
    let (extensions, _) = extensions::generate(root, &merged)?;
    let open = questions::ask(root, &merged, &overlay, &docs);
    Ok(Open { extensions, ..open })
}

/// The steps up to one model for all revisions.
fn merged(root: &Path) -> Result<(Overlay, Merged)> {
    let overlay = Overlay::read(root, "schema")?;
    let models = models(root, &overlay)?;
    let merged = join(models, &overlay)?;
    Ok((overlay, merged))
}

/// The steps from one model for each revision to one model.
pub(super) fn join(models: Vec<Model>, overlay: &Overlay) -> Result<Merged> {
    conflicts::ask(&models, overlay);
    let mut merged = merge(models, overlay);
    check_forms::check(&merged, overlay);
    merged.identifiers = check_names::check(&merged, overlay)?;
    Ok(merged)
}

/// The steps up to one model for each revision, oldest first.
pub(super) fn models(root: &Path, overlay: &Overlay) -> Result<Vec<Model>> {
    let schemas = load::load(&root.join("schema"))?.into_iter();
    let schemas = Error::all(schemas.map(|schema| simplify::simplify(schema, overlay)))?;
    let mut models = Vec::new();
    for schema in schemas.iter().rev() {
        models.push(lower::lower(schema, &models, overlay)?);
    }
    models.reverse();
    Ok(models)
}

/// The steps from the one model to code.
fn files(
    merged: &Merged,
    overlay: &Overlay,
    docs: &Docs<'_>,
    has_extensions: bool,
) -> Result<Vec<File>> {
    let availability = availability::emit(merged, overlay)?;
    let conform = conform::emit(merged, overlay)?;
    let revisions = revisions::emit(merged, docs)?;
    let mut files = vec![map(has_extensions)?];
    files.extend(modules(merged, overlay, docs)?);
    files.extend([
        typed("availability", "Which revision has what.", &availability)?,
        typed("conform", "What each revision allows.", &conform)?,
        typed("revisions", "The revisions.", &revisions)?,
        File::rust(
            "mcp-types/tests/generated/types.rs".into(),
            "The types of the model, for checks that treat each alike.",
            listing::types(merged),
        )?,
        File::rust(
            "mcp-types/tests/exactness/cases.rs".into(),
            "Every type, and where each schema has it.",
            listing::cases(merged, overlay),
        )?,
    ]);
    Ok(files)
}

/// The modules of a model of any number of revisions: its types, and names for what is written as
/// text or number on the wire.
pub(super) fn modules(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<[File; 7]> {
    let enums = enums::emit(merged, docs);
    let unions = unions::emit(merged, docs);
    let structs = structs::emit(merged, overlay, docs)?;
    let aliases = aliases::emit(overlay);
    let messages = dispatch::markers(merged);
    let codes = dispatch::codes(merged);
    let keys = dispatch::meta_keys(merged, overlay);
    Ok([
        typed("enums", "The string enums.", &enums)?,
        typed("unions", "The unions.", &unions)?,
        typed("model", "The structs.", &quote!(#structs #aliases))?,
        typed(
            "messages",
            "Messages: method, parameters, result.",
            &messages,
        )?,
        module("methods", "The methods.", dispatch::methods(merged))?,
        module(
            "error_codes",
            "Error codes beyond those of JSON-RPC.",
            codes,
        )?,
        module("meta_keys", "Reserved keys of `_meta`.", keys)?,
    ])
}

/// The map of the generated code.
fn map(has_extensions: bool) -> Result<File> {
    let extensions = has_extensions.then(|| quote! { pub mod extensions; });
    let items = quote! {
        pub(crate) mod availability;
        mod conform;
        mod enums;
        pub mod error_codes;
        #extensions
        mod messages;
        pub mod meta_keys;
        pub mod methods;
        mod model;
        mod revisions;
        mod unions;

        pub use enums::*;
        pub use messages::*;
        pub use model::*;
        pub use revisions::*;
        pub use unions::*;
    };
    module(
        "mod",
        "The protocol's types: one model for all revisions.",
        items,
    )
}

/// A module that sees the model, and the hand-written support for what is in it.
fn typed(name: &str, doc: &str, items: &TokenStream) -> Result<File> {
    let support = ident(name);
    let items = quote! {
        #[allow(unused_imports, reason = "some only for links in the documentation")]
        use super::*;
        use crate::support::#support::*;

        #items
    };
    module(name, doc, items)
}

/// A module of the generated code.
pub(super) fn module(name: &str, doc: &str, items: TokenStream) -> Result<File> {
    File::rust(format!("mcp-types/src/generated/{name}.rs"), doc, items)
}
