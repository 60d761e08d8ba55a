//! Reads one stored revision.

use super::super::import::check_revision;
use anyhow::{Context, Result, bail};
use itertools::Itertools;
use serde_json::Value;
use std::path::Path;

/// The definitions of a stored revision.
pub(super) fn load(root: &Path, revision: &str) -> Result<Value> {
    check_revision(revision)?;
    let folder = root.join("schema");
    let file = folder.join(format!("{revision}.json"));
    if !file.exists() {
        let stored = stored(&folder).join(", ");
        bail!("{}: no such revision; stored are: {stored}", file.display());
    }
    let name = || file.display().to_string();
    let bytes = std::fs::read(&file).with_context(name)?;
    let mut document: Value = serde_json::from_slice(&bytes)
        .context("not JSON")
        .with_context(name)?;
    document.sort_all_objects();
    Ok(document["$defs"].clone())
}

/// The stored revisions, oldest first.
pub(in super::super) fn stored(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let revisions = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
    revisions.sorted().collect()
}
