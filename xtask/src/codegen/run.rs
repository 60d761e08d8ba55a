//! The steps in order, nothing else.

use super::by_revision::availability;
use super::by_revision::impls as conform_impls;
use super::by_revision::revisions;
use super::check::aliases;
use super::check::forms as check_forms;
use super::check::identifiers as check_names;
use super::check::questions;
use super::emit::dispatch;
use super::emit::docs::Docs;
use super::emit::enums;
use super::emit::listing;
use super::emit::output::{File, write};
use super::emit::rust;
use super::emit::structs;
use super::emit::unions;
use super::error::{Error, Result};
use super::extensions;
use super::merged::conflicts;
use super::merged::keys;
use super::merged::merge::{Merged, merge};
use super::model::ir::Model;
use super::model::lower;
use super::overlay::file::Overlay;
use super::overlay::open::Open;
use super::schemas::load;
use super::schemas::simplify;
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
    let open = questions::ask(root, &merged, &overlay, &docs).settled()?;
    let extensions = extensions::files(root, &merged)?;
    let mut files = files(&merged, &overlay, &docs, !extensions.is_empty())?;
    files.extend(extensions);
    Ok(write(root, &files, options.check)? + &open.to_string())
}

/// What has to be settled before [`run()`] generates code below `root`, and what will change.
pub(crate) fn open(root: &Path) -> Result<Open> {
    let (overlay, merged) = merged(root)?;
    let docs = Docs::read(&root.join("schema"), &merged)?;
    Ok(questions::ask(root, &merged, &overlay, &docs))
}

/// The steps up to one model for all revisions.
fn merged(root: &Path) -> Result<(Overlay, Merged)> {
    let overlay = Overlay::read(&root.join("schema"))?;
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
    let aliases = aliases::emit(overlay);
    let tables = [
        (
            "availability",
            "Which revision has what.",
            availability::emit(merged, overlay)?,
        ),
        (
            "conform",
            "What each revision allows.",
            conform_impls::emit(merged, overlay)?,
        ),
        (
            "revisions",
            "The revisions.",
            revisions::emit(merged, docs)?,
        ),
    ];
    let types = types(merged, overlay, docs, &aliases)?;
    let mut files = vec![map(has_extensions)?];
    for (name, doc, items) in types.into_iter().chain(tables) {
        files.push(module(name, doc, true, &items)?);
    }
    for (name, doc, items) in constants(merged, overlay) {
        files.push(module(name, doc, false, &items)?);
    }
    files.extend(for_tests(merged, overlay)?);
    Ok(files)
}

/// A module's name, documentation and items.
type Module = (&'static str, &'static str, TokenStream);

/// The types of a model of any number of revisions.
pub(super) fn types(
    merged: &Merged,
    overlay: &Overlay,
    docs: &Docs<'_>,
    aliases: &TokenStream,
) -> Result<[Module; 4]> {
    let structs = structs::emit(merged, overlay, docs)?;
    let messages = dispatch::markers(merged);
    Ok([
        ("enums", "The string enums.", enums::emit(merged, docs)),
        ("unions", "The unions.", unions::emit(merged, docs)),
        ("model", "The structs.", quote!(#structs #aliases)),
        (
            "messages",
            "Messages: method, parameters, result.",
            messages,
        ),
    ])
}

/// Names for what is written as text or number on the wire.
pub(super) fn constants(merged: &Merged, overlay: &Overlay) -> [Module; 3] {
    let codes = dispatch::codes(merged);
    let keys = dispatch::meta_keys(merged, overlay);
    [
        ("methods", "The methods.", dispatch::methods(merged)),
        (
            "error_codes",
            "Error codes beyond those of JSON-RPC.",
            codes,
        ),
        ("meta_keys", "Reserved keys of `_meta`.", keys),
    ]
}

/// The map of the generated code.
fn map(has_extensions: bool) -> Result<File> {
    let extensions = has_extensions.then(|| quote! { pub mod extensions; });
    File::rust(
        "mcp-types/src/generated/mod.rs".into(),
        "The protocol's types: one model for all revisions.",
        quote! {
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
        },
    )
}

/// Data for the tests of the generated code.
fn for_tests(merged: &Merged, overlay: &Overlay) -> Result<[File; 2]> {
    let list = File::rust(
        "mcp-types/tests/generated/types.rs".into(),
        "The types of the model, for checks that treat each alike.",
        listing::types(merged),
    )?;
    let cases = File::rust(
        "mcp-types/tests/exactness/cases.rs".into(),
        "Every type, and where each schema has it.",
        listing::cases(merged, overlay),
    )?;
    Ok([list, cases])
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
