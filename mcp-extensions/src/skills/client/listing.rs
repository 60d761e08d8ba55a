//! The lists of skills and of directories.

use std::collections::HashSet;

use mcp_runtime::types::{JsonObject, RawJson, Resource};

use super::entry::{decode, normal};
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
        for json in entries {
            let reason = match decode(json) {
                Ok(entry) if known.insert(normal(&entry.uri)) => {
                    listing.skills.push(entry);
                    continue;
                }
                Ok(_) => "the list already has an entry with this URI".to_owned(),
                Err(reason) => reason,
            };
            let members: JsonObject = json.parse().unwrap_or_default();
            let uri = members
                .get("uri")
                .and_then(|it| it.as_str())
                .map(ToOwned::to_owned);
            listing.invalid.push(InvalidSkill { uri, reason });
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
    /// Resources that the skill's entry does not have, or that are not in the directory. They can't be
    /// read, and must not be shown to a model.
    ///
    /// If there are any, the skill was changed: get its entry again, and let the user approve it again
    /// (Directory Reads and the Held Entry).
    pub unlisted: Vec<Resource>,
}
