//! What changed between two stored revisions, in plain words: read them
//! ([`load`]), reduce each to methods and types with flat fields ([`shape`]),
//! put both side by side ([`compare`]), and print ([`render`]).

mod compare;
mod load;
mod render;
mod shape;

use super::error::Error;
use std::path::Path;

/// Compares the stored revisions `from` and `to`; returns the report.
pub(super) fn run(root: &Path, from: &str, to: &str, markdown: bool) -> Result<String, Error> {
    let older = shape::Model::new(&load::load(root, from)?);
    let newer = shape::Model::new(&load::load(root, to)?);
    let sections = compare::compare(&older, &newer);
    let title = format!("{from} → {to}");
    Ok(if markdown {
        render::markdown(&title, &sections)
    } else {
        render::text(&title, &sections)
    })
}
