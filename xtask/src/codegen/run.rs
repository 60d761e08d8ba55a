//! Runs the steps of the generator in order.

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
    /// Write nothing, and fail if a generated file is out of date.
    #[arg(long)]
    check: bool,
    /// Print the keys that docs.toml must have, with their revisions.
    #[arg(long, conflicts_with = "check")]
    list_doc_keys: bool,
}

/// Generates or checks the code below `root`, or lists the keys of `docs.toml`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<String> {
    let (overlay, merged) = merged(root)?;
    if options.list_doc_keys {
        return Ok(keys::list(&merged));
    }
    let docs = Docs::read(&root.join("schema"), &merged, &overlay)?;
    let (extensions, of_extensions) = extensions::generate(root, &merged)?;
    let open = questions::ask(root, &merged, &overlay, &docs);
    let open = Open { extensions, ..open }.settled()?;
    let mut files = files(&merged, &overlay, &docs, !of_extensions.is_empty())?;
    files.extend(of_extensions);
    Ok(write(root, &files, options.check)? + &open.to_string())
}

/// Returns the questions that must be settled before [`run()`] generates code below `root`, and notes
/// about changes.
pub(crate) fn open(root: &Path) -> Result<Open> {
    let (overlay, merged) = merged(root)?;
    let docs = Docs::read(&root.join("schema"), &merged, &overlay)?;
    let (extensions, _) = extensions::generate(root, &merged)?;
    let open = questions::ask(root, &merged, &overlay, &docs);
    Ok(Open { extensions, ..open })
}

/// Runs the steps up to the merged model.
fn merged(root: &Path) -> Result<(Overlay, Merged)> {
    let overlay = Overlay::read(root, "schema")?;
    let models = models(root, &overlay)?;
    let merged = join(models, &overlay)?;
    Ok((overlay, merged))
}

pub(super) fn join(models: Vec<Model>, overlay: &Overlay) -> Result<Merged> {
    conflicts::ask(&models, overlay);
    let mut merged = merge(models, overlay);
    check_forms::check(&merged, overlay);
    merged.identifiers = check_names::check(&merged, overlay)?;
    Ok(merged)
}

/// Runs the steps up to the models of the revisions, oldest first.
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
        typed(
            "availability",
            "Tables of the items that each revision has.",
            &availability,
        )?,
        typed(
            "conform",
            "Conversion of values to each revision.",
            &conform,
        )?,
        typed("revisions", "The revisions.", &revisions)?,
        File::rust(
            "mcp-types/tests/generated/types.rs".into(),
            "The types of the model, for tests that apply to all types.",
            listing::types(merged),
        )?,
        File::rust(
            "mcp-types/tests/exactness/cases.rs".into(),
            "All types, with their places in each schema.",
            listing::cases(merged, overlay),
        )?,
    ]);
    Ok(files)
}

/// Emits the modules of a model with any number of revisions: its types, and its constants.
pub(super) fn modules(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<[File; 7]> {
    let enums = enums::emit(merged, docs);
    let unions = unions::emit(merged, docs);
    let structs = structs::emit(merged, overlay, docs)?;
    let aliases = aliases::emit(overlay);
    let messages = dispatch::markers(merged, docs);
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
            "Error codes that JSON-RPC does not define.",
            codes,
        )?,
        module("meta_keys", "Reserved keys of `_meta`.", keys)?,
    ])
}

/// Emits the root module of the generated code.
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

/// Emits a module that imports the model and the hand-written functions that its code needs.
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

pub(super) fn module(name: &str, doc: &str, items: TokenStream) -> Result<File> {
    File::rust(format!("mcp-types/src/generated/{name}.rs"), doc, items)
}
