//! Skills that were checked and can be served.

use std::sync::Arc;

use mcp_runtime::types::JsonObject;

use super::fault::Finding;
use crate::skills::types::Digest;

/// A skill that was checked, with its files in memory. Clones are cheap.
#[derive(Clone, Debug)]
pub struct PublishedSkill {
    /// The path of the skill's folder. Its last segment is the name.
    pub(super) path: String,
    /// The front matter.
    pub(super) fields: Arc<JsonObject>,
    /// All files in the order of their paths, including `SKILL.md` and the files of nested skills.
    pub(super) files: Arc<[PublishedFile]>,
    pub(super) is_dynamic: bool,
    /// Front matter that hosts may read differently.
    pub(super) warnings: Vec<Finding>,
}

#[derive(Clone, Debug)]
pub(super) struct PublishedFile {
    /// The path below the folder of the skill.
    pub(super) path: String,
    pub(super) bytes: Arc<[u8]>,
    pub(super) digest: Digest,
    pub(super) media_type: &'static str,
}

impl PublishedSkill {
    /// Returns the path of the skill, such as `acme/billing/refunds`. Its last segment is the name.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn file(&self, path: &str) -> Option<&PublishedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(super) fn has_same_files(&self, other: &Self) -> bool {
        let mut pairs = self.files.iter().zip(&*other.files);
        let is_same = |(one, other): (&PublishedFile, &PublishedFile)| {
            one.path == other.path && one.digest == other.digest
        };
        self.files.len() == other.files.len() && pairs.all(is_same)
    }
}
