//! The record of where each stored schema came from, `schema/sources.toml`.

use super::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The public repository that publishes the protocol.
const REPOSITORY: &str = "modelcontextprotocol/modelcontextprotocol";

const HEADER: &str = "\
# Written by `cargo xtask schema import`: the published file that each
# schema/<revision>.json was made from, and its digest.

";

/// Origin of one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Source {
    /// Public repository, `owner/name`.
    repository: String,
    /// Path inside the repository.
    path: String,
    /// Commit, tag or branch; `unknown` when nobody said.
    pub(super) commit: String,
    /// SHA-256 of the published file, in hexadecimal.
    pub(super) sha256: String,
}

impl Source {
    pub(super) fn new(revision: &str, commit: String, sha256: String) -> Self {
        Self {
            repository: REPOSITORY.to_owned(),
            path: path(revision),
            commit,
            sha256,
        }
    }
}

/// Path of a revision's schema in the repository.
pub(super) fn path(revision: &str) -> String {
    format!("schema/{revision}/schema.json")
}

/// All origins, by revision.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sources(BTreeMap<String, Source>);

impl Sources {
    /// Reads the record; a missing file is an empty record.
    pub(super) fn load(file: &Path) -> Result<Self, Error> {
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(Error::io(file))?,
        };
        toml::from_str(&text).map_err(|source| Error::Sources {
            file: file.to_path_buf(),
            source,
        })
    }

    pub(super) fn get(&self, revision: &str) -> Option<&Source> {
        self.0.get(revision)
    }

    pub(super) fn insert(&mut self, revision: &str, source: Source) {
        self.0.insert(revision.to_owned(), source);
    }

    pub(super) fn save(&self, file: &Path) -> Result<(), Error> {
        let text = format!("{HEADER}{}", toml::to_string(self)?);
        std::fs::write(file, text).map_err(Error::io(file))
    }
}
