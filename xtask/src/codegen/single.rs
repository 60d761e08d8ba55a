//! One revision in, its own model out, as `cargo xtask bindings` prints it.

use super::docs::Docs;
use super::error::{Error, Result};
use super::merge::merge;
use super::output::File;
use super::overlay::Overlay;
use super::run::{models, module};
use super::{check_names, dispatch, enums, structs, types, unions};
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
    let mut merged = merge(models, &overlay);
    merged.identifiers = check_names::check(&merged, &overlay)?;
    overlay.decisions.settled()?;
    let docs = Docs::read(&root.join("schema"), &merged)?;
    [
        module(
            "enums",
            "The string enums.",
            true,
            &enums::emit(&merged, &docs),
        ),
        module("unions", "The unions.", true, &unions::emit(&merged, &docs)),
        module(
            "model",
            "The structs.",
            true,
            &structs::emit(&merged, &overlay, &docs, &types::structs(&merged)?),
        ),
        module(
            "messages",
            "The messages, each with its method, parameters and result.",
            true,
            &dispatch::markers(&merged),
        ),
        module(
            "methods",
            "The methods, by name.",
            false,
            &dispatch::methods(&merged),
        ),
        module(
            "error_codes",
            "The error codes that the protocol adds to those of JSON-RPC.",
            false,
            &dispatch::codes(&merged),
        ),
    ]
    .into_iter()
    .collect()
}
