//! A skill that was opened, and reading its files.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::types::{JsonObject, Resource};

use super::manifest::Manifest;
use super::{ServerSkills, SkillContents, SkillDirectory, SkillError, file_uri};
use crate::skills::limits::MAX_SKILL_BYTES;
use crate::skills::{SkillEntry, front_matter, uri};

/// A skill whose `SKILL.md` was read and verified. Opened by [`ServerSkills::open`].
///
/// It holds the entry with which it was opened, and reads only files of this entry (The Acting Window
/// and the Held Entry). Keep it as long as a model acts on the skill. Clones are cheap.
#[derive(Clone, Debug)]
pub struct OpenSkill {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    skills: ServerSkills,
    entry: SkillEntry,
    manifest: Manifest,
    instructions: SkillContents,
    /// How many bytes of a dynamic skill were read.
    read: AtomicUsize,
}

impl OpenSkill {
    pub(super) async fn open(skills: ServerSkills, entry: &SkillEntry) -> Result<Self, SkillError> {
        let manifest =
            Manifest::of(entry).map_err(|reason| SkillError::invalid(&entry.uri, reason))?;
        let listed = manifest.file(&entry.uri);
        let instructions = skills
            .fetch(listed.map_or(&entry.uri, |it| &it.uri), listed)
            .await?;
        compare(&instructions, &entry.frontmatter).map_err(|difference| SkillError::Changed {
            uri: entry.uri.clone(),
            difference,
        })?;
        let read = AtomicUsize::new(0);
        let inner = Inner {
            skills,
            entry: entry.clone(),
            manifest,
            instructions,
            read,
        };
        let skill = Self {
            inner: Arc::new(inner),
        };
        skill.charge(&skill.inner.instructions)?;
        Ok(skill)
    }

    /// Returns the identity of the skill, as a key for approvals and registries: the host's label of
    /// the server and the URI of the skill (Skill URIs). Its name alone is not an identity.
    #[must_use]
    pub fn id(&self) -> (&str, &str) {
        (self.inner.skills.label(), &self.inner.entry.uri)
    }

    /// Returns the entry that is held.
    #[must_use]
    pub fn entry(&self) -> &SkillEntry {
        &self.inner.entry
    }

    /// Returns the fingerprint of the entry, to which an approval can be bound, or `None` for a
    /// dynamic skill; see [`SkillEntry::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> Option<String> {
        self.inner.entry.fingerprint()
    }

    /// Returns the verified `SKILL.md`, including its front matter.
    #[must_use]
    pub fn instructions(&self) -> &SkillContents {
        &self.inner.instructions
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
        let inner = &*self.inner;
        let is_dynamic = inner.manifest.files.is_none();
        let uri = self.resolve(reference);
        let listed = uri.as_deref().and_then(|it| inner.manifest.file(it));
        let Some(uri) = uri.filter(|_| is_dynamic || listed.is_some()) else {
            return Err(not_in_entry(reference));
        };
        if inner.read.load(Ordering::Relaxed) >= MAX_SKILL_BYTES {
            return Err(too_large(&uri));
        }
        let spelled = listed.map_or(&uri, |file| &file.uri);
        let contents = inner.skills.fetch(spelled, listed).await?;
        self.charge(&contents)?;
        Ok(contents)
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
        let manifest = &self.inner.manifest;
        let uri = match reference.trim_end_matches('/') {
            "" | "." => uri::directory(&self.inner.entry.uri).map(ToOwned::to_owned),
            path => self.resolve(path),
        };
        let normal = uri.as_deref().and_then(file_uri::normal);
        let is_known = normal.is_some_and(|it| manifest.has_directory(&it));
        let uri = uri.filter(|_| is_known);
        let uri = uri.ok_or_else(|| not_in_entry(reference))?;
        let is_listed = |child: &Resource| {
            let normal = file_uri::normal(&child.uri).unwrap_or_default();
            manifest.file(&child.uri).is_some() || manifest.has_directory(&normal)
        };
        let children = self.inner.skills.directory(&uri).await?;
        let (children, unlisted) = children.into_iter().partition(is_listed);
        Ok(SkillDirectory { children, unlisted })
    }

    fn resolve(&self, reference: &str) -> Option<String> {
        let directory = uri::directory(&self.inner.entry.uri)?;
        file_uri::resolve(directory, reference)
    }

    /// Counts the bytes of a dynamic skill (Limits).
    fn charge(&self, contents: &SkillContents) -> Result<(), SkillError> {
        let inner = &*self.inner;
        let length = contents.bytes.len();
        if inner.manifest.files.is_none()
            && inner.read.fetch_add(length, Ordering::Relaxed) + length > MAX_SKILL_BYTES
        {
            return Err(too_large(&contents.uri));
        }
        Ok(())
    }
}

fn not_in_entry(reference: &str) -> SkillError {
    SkillError::refused(reference, "the skill's entry does not have it")
}

fn too_large(uri: &str) -> SkillError {
    let reason = "more than 16 MiB of this dynamic skill would be read, which is the limit";
    SkillError::refused(uri, reason)
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
    let found = found.fields;
    let field = |fields: &JsonObject, name: &String| -> JsonObject {
        let entry = fields.get_key_value(name);
        entry
            .map(|(name, value)| (name.clone(), value.clone()))
            .into_iter()
            .collect()
    };
    let names = expected
        .keys()
        .chain(found.keys().filter(|it| !expected.contains_key(*it)));
    let is_other =
        |name: &&String| !front_matter::is_same(&field(expected, name), &field(&found, name));
    let others: Vec<_> = names.filter(is_other).map(|it| format!("`{it}`")).collect();
    if others.is_empty() {
        Ok(())
    } else {
        Err(format!("its front matter differs in {}", others.join(", ")))
    }
}
