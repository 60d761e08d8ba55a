//! The lists of skills and of directories.

use std::collections::HashSet;

use mcp_runtime::types::{JsonObject, RawJson, Resource};

use super::file_uri;
use super::manifest::Manifest;
use crate::skills::SkillEntry;

/// The skills that a server lists. Returned by [`ServerSkills::list`](super::ServerSkills::list).
///
/// A server may list only some of its skills, or none.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SkillListing {
    /// The skills whose entries are valid, in the order of the server.
    pub skills: Vec<SkillEntry>,
    /// The entries that are invalid, which must not be used.
    pub invalid: Vec<InvalidSkill>,
}

/// An entry that breaks the rules of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidSkill {
    /// The URI of the skill, if the entry has one.
    pub uri: Option<String>,
    /// The rule that the entry breaks.
    pub reason: String,
}

impl SkillListing {
    /// Returns all skills with this name. Names are not unique (Names).
    #[must_use]
    pub fn by_name(&self, name: &str) -> Vec<&SkillEntry> {
        self.skills.iter().filter(|it| it.name() == name).collect()
    }

    /// Checks each entry. If two entries have one URI, the second is invalid.
    pub(super) fn of(entries: &[RawJson]) -> Self {
        let mut listing = Self::default();
        let mut known = HashSet::new();
        for entry in entries {
            let checked = Manifest::decode(entry).and_then(|(entry, _)| {
                let is_new = known.insert(file_uri::normal(&entry.uri));
                let again = || "the list already has an entry with this URI".to_owned();
                is_new.then_some(entry).ok_or_else(again)
            });
            match checked {
                Ok(entry) => listing.skills.push(entry),
                Err(reason) => {
                    let members: Option<JsonObject> = entry.parse().ok();
                    let uri = members.and_then(|it| Some(it.get("uri")?.as_str()?.to_owned()));
                    listing.invalid.push(InvalidSkill { uri, reason });
                }
            }
        }
        listing
    }
}

/// The direct children of a directory in a skill. Returned by
/// [`OpenSkill::directory`](super::OpenSkill::directory).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SkillDirectory {
    /// The files, and the directories (with the media type `inode/directory`), which can be read.
    pub children: Vec<Resource>,
    /// Children that the skill's entry does not have: the skill was changed. They can't be read, and
    /// must not be shown to a model. If there are any, get the entry again, and let the user approve
    /// it again (Directory Reads and the Held Entry).
    pub unlisted: Vec<Resource>,
}
