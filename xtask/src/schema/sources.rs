//! `schema/sources.toml`: the record of the origin of each stored schema.

use anyhow::{Context, Result};
use itertools::Itertools;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Base URL of files in public repositories, which is followed by `owner/name/commit/path`.
const REPOSITORIES: &str = "https://raw.githubusercontent.com/";

const HEADER: &str = "\
# Written by `cargo xtask schema import`: the published file that each
# <revision>.json here was made from, and its digest.

";

/// Origin of a schema: a place in a repository, or a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    /// Public repository, `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<String>,
    /// Path inside the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Name of a local file, or a URL outside of public repositories.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Commit, tag or branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// SHA-256 of the published file, in hexadecimal.
    pub(super) sha256: String,
}

impl Source {
    /// Determines the origin from the name of a file or URL.
    ///
    /// If a local file has the same bytes as the earlier record `known`, that record is kept.
    pub(super) fn of(name: &str, sha256: String, known: Option<&Self>) -> Self {
        let parts = name.strip_prefix(REPOSITORIES).unwrap_or_default();
        if let Some((owner, repository, commit, path)) = parts.splitn(4, '/').collect_tuple() {
            return Self {
                repository: Some(format!("{owner}/{repository}")),
                path: Some(path.to_owned()),
                commit: Some(commit.to_owned()),
                file: None,
                sha256,
            };
        }
        if let Some(known) = known.filter(|known| known.sha256 == sha256) {
            return known.clone();
        }
        let local = name.rsplit(['/', '\\']).next();
        let address = name.contains("://").then_some(name);
        Self {
            file: address.or(local).map(str::to_owned),
            sha256,
            ..Self::default()
        }
    }
}

pub(super) type Sources = BTreeMap<String, Source>;

pub(super) fn load(file: &Path) -> Result<Sources> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(name)?;
    toml::from_str(&text).with_context(name)
}

pub(super) fn save(sources: &Sources, file: &Path) -> Result<()> {
    let text = format!("{HEADER}{}", toml::to_string(sources)?);
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, known: Option<&Source>) -> String {
        toml::to_string(&Source::of(name, "5a".into(), known)).unwrap()
    }

    #[test]
    fn only_what_the_name_says_is_recorded() {
        assert_eq!(
            of(
                "https://raw.githubusercontent.com/a/b/c0ffee/schema/x.json",
                None
            ),
            "repository = \"a/b\"\npath = \"schema/x.json\"\ncommit = \"c0ffee\"\nsha256 = \"5a\"\n"
        );
        assert_eq!(
            of("https://host/a/b/c0ffee/x.json", None),
            "file = \"https://host/a/b/c0ffee/x.json\"\nsha256 = \"5a\"\n"
        );
        assert_eq!(
            of("/home/me/x.json", None),
            "file = \"x.json\"\nsha256 = \"5a\"\n"
        );
    }

    #[test]
    fn the_same_bytes_keep_the_record_that_says_more() {
        let repository = Source::of(
            "https://raw.githubusercontent.com/a/b/c0ffee/x.json",
            "5a".into(),
            None,
        );
        assert!(of("x.json", Some(&repository)).starts_with("repository"));
        let other = Source {
            sha256: "5b".into(),
            ..repository
        };
        assert!(of("x.json", Some(&other)).starts_with("file"));
    }
}
