//! A skill that was opened, and reading its files.

use std::sync::atomic::AtomicUsize;

use mcp_runtime::types::{JsonObject, Resource};

use super::entry::{check, find, has_directory, is_below, normal, resolve};
use super::{ServerSkills, SkillContents, SkillDirectory, SkillError};
use crate::skills::{SkillEntry, SkillFiles, front_matter, uri};

/// A skill whose `SKILL.md` was read and verified. Opened by [`ServerSkills::open`].
///
/// It holds the entry with which it was opened, and reads only files of this entry (The Acting Window
/// and the Held Entry). Keep it as long as a model acts on the skill.
#[derive(Debug)]
pub struct OpenSkill {
    skills: ServerSkills,
    entry: SkillEntry,
    instructions: SkillContents,
    /// How many bytes of a dynamic skill were read.
    read: AtomicUsize,
}

impl OpenSkill {
    pub(super) async fn open(skills: ServerSkills, entry: &SkillEntry) -> Result<Self, SkillError> {
        check(entry).map_err(|reason| SkillError::invalid(&entry.uri, reason))?;
        let read = AtomicUsize::new(0);
        let instructions = skills.fetch(entry, &entry.uri, &read).await?;
        compare(&instructions, &entry.frontmatter)
            .map_err(|difference| SkillError::changed(&entry.uri, difference))?;
        let entry = entry.clone();
        Ok(Self {
            skills,
            entry,
            instructions,
            read,
        })
    }

    /// Returns the identity of the skill, as a key for approvals and registries: the host's label of
    /// the server and the URI of the skill (Skill URIs). Its name alone is not an identity.
    #[must_use]
    pub fn id(&self) -> (&str, &str) {
        (self.skills.label(), &self.entry.uri)
    }

    /// Returns the entry that is held.
    #[must_use]
    pub fn entry(&self) -> &SkillEntry {
        &self.entry
    }

    /// Returns the fingerprint of the entry, to which an approval can be bound, or `None` for a
    /// dynamic skill; see [`SkillEntry::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        self.entry.fingerprint()
    }

    /// Returns the verified `SKILL.md`, including its front matter.
    #[must_use]
    pub fn instructions(&self) -> &SkillContents {
        &self.instructions
    }

    /// Reads a file. `reference` is a path relative to the skill's directory, such as
    /// `references/FORMS.md` (Relative References). It may have percent-escapes, like a link.
    ///
    /// A file that was read before comes from the cache, if it is listed. All reads of a dynamic skill
    /// together may have 16 MiB.
    ///
    /// # Errors
    ///
    /// [`SkillError::Refused`] if the entry has no such file, if `reference` may leave the skill, or if
    /// a dynamic skill is too large. [`SkillError::Changed`] if the contents are not those of the
    /// entry. [`SkillError::Call`] if the request fails.
    pub async fn read(&self, reference: &str) -> Result<SkillContents, SkillError> {
        let uri = uri::directory(&self.entry.uri).and_then(|it| resolve(it, reference));
        let is_dynamic = self.entry.resources == SkillFiles::Dynamic;
        let uri = uri.filter(|it| is_dynamic || find(&self.entry, it).is_some());
        let uri = uri.ok_or_else(|| not_in_entry(reference))?;
        self.skills.fetch(&self.entry, &uri, &self.read).await
    }

    /// Lists the direct children of a directory of the skill, as the server has it now. `reference` is
    /// a path relative to the skill's directory, which is itself `.`.
    ///
    /// The entry stays as it is: children that it does not have are returned separately.
    ///
    /// # Errors
    ///
    /// [`SkillError::Refused`] if the entry has no such directory, and the errors of
    /// [`ServerSkills::directory`].
    pub async fn directory(&self, reference: &str) -> Result<SkillDirectory, SkillError> {
        let root = uri::directory(&self.entry.uri);
        let uri = match reference.trim_end_matches('/') {
            "" | "." => root.map(ToOwned::to_owned),
            path => root.and_then(|it| resolve(it, path)),
        };
        let uri = uri.filter(|it| has_directory(&self.entry, it));
        let uri = uri.ok_or_else(|| not_in_entry(reference))?;
        let directory = normal(&uri);
        let is_listed = |child: &Resource| {
            let is_known =
                find(&self.entry, &child.uri).is_some() || has_directory(&self.entry, &child.uri);
            is_known && normal(&child.uri).is_some_and(|it| is_below(&it, directory.as_deref()))
        };
        let resources = self.skills.directory(&uri).await?;
        let (children, unlisted) = resources.into_iter().partition(is_listed);
        Ok(SkillDirectory { children, unlisted })
    }
}

fn not_in_entry(reference: &str) -> SkillError {
    SkillError::refused(reference, "the skill's entry does not have it")
}

/// Compares each field of the front matter with the entry (Frontmatter Verification).
///
/// # Errors
///
/// Returns the fields that differ.
fn compare(contents: &SkillContents, expected: &JsonObject) -> Result<(), String> {
    let found = front_matter::parse(&contents.bytes).map_err(|remarks| {
        let remarks = remarks
            .iter()
            .map(|it| format!("line {}: {}", it.line, it.text));
        let remarks = remarks.collect::<Vec<_>>().join("; ");
        format!("its front matter can't be read ({remarks})")
    })?;
    let names = front_matter::differences(expected, &found.fields);
    if names.is_empty() {
        return Ok(());
    }
    Err(format!("its front matter differs in {names:?}"))
}
