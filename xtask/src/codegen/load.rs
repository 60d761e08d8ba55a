//! Files in, JSON out: the stored schemas, oldest revision first.

use super::error::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The schema of one revision as stored.
pub(crate) struct Schema {
    /// The date that names the revision, from the file's name.
    pub(crate) revision: String,
    /// The definitions by name.
    pub(crate) defs: serde_json::Map<String, Value>,
    /// The names that definitions have in the file, by the ones they are given.
    pub(crate) stored_names: BTreeMap<String, String>,
}

impl Schema {
    /// The JSON pointer to a definition in the stored file.
    pub(crate) fn pointer(&self, name: &str) -> String {
        let stored = self.stored_names.get(name).map_or(name, String::as_str);
        format!("/$defs/{stored}")
    }
}

/// Reads every `<revision>.json` in a folder.
pub(crate) fn load(folder: &Path) -> Result<Vec<Schema>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(path);
        }
    }
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Result<Schema> {
    let text = std::fs::read_to_string(file).map_err(Error::io(file))?;
    let mut document: Value = serde_json::from_str(&text).map_err(|source| Error::Json {
        file: file.to_path_buf(),
        source,
    })?;
    let stem = file.file_stem().unwrap_or_default();
    let revision = stem.to_string_lossy().into_owned();
    match document.get_mut("$defs").map(Value::take) {
        Some(Value::Object(defs)) => Ok(Schema {
            revision,
            defs,
            stored_names: BTreeMap::new(),
        }),
        _ => Err(Error::Schema {
            revision,
            path: "$".into(),
            what: "no `$defs`; bring schemas in with `cargo xtask schema import`".into(),
        }),
    }
}
