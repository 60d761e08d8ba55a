//! The steps from two revisions to a report.

use super::super::error::Error;
use super::{compare, load, render};
use std::path::Path;

/// Compares the stored revisions `from` and `to`; returns the report.
pub(in super::super) fn run(
    root: &Path,
    from: &str,
    to: &str,
    markdown: bool,
) -> Result<String, Error> {
    let older = load::load(root, from)?;
    let newer = load::load(root, to)?;
    let sections = compare::compare(&older, &newer);
    let title = format!("{from} → {to}");
    Ok(if markdown {
        render::markdown(&title, &sections)
    } else {
        render::text(&title, &sections)
    })
}
