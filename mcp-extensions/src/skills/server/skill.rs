//! A skill that a program writes, rather than reads from a directory.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_runtime::types::JsonObject;
use serde_json::{Value, json};

use super::assemble::assemble;
use super::fault::LoadError;
use super::published::PublishedSkill;
use crate::skills::front_matter;
use crate::skills::types::SKILL_MD;

/// A skill: instructions for a model, and files that the instructions refer to.
///
/// ```
/// use mcp_extensions::skills::{Skill, Skills};
///
/// let refunds = Skill::new("refunds", "Process refunds. Use it when a customer wants money back.")
///     .field("license", "MIT")
///     .instructions("# Refunds\n\nWrite to the customer as in `email.md`.\n")
///     .file("email.md", "Dear customer, …");
/// let skills = Skills::new([refunds])?;
/// # drop(skills);
/// # Ok::<(), mcp_extensions::skills::LoadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skill {
    name: String,
    folder: Option<String>,
    fields: JsonObject,
    instructions: String,
    files: Vec<(String, Arc<[u8]>)>,
    is_dynamic: bool,
}

impl Skill {
    /// Creates a skill. `name` has 1 to 64 lowercase letters, digits and hyphens. `description` says
    /// what the skill does and when to use it, in at most 1,024 characters.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        let fields = [
            ("name".to_owned(), json!(name)),
            ("description".to_owned(), json!(description.into())),
        ];
        Self {
            name,
            folder: None,
            fields: JsonObject::from_iter(fields),
            instructions: String::new(),
            files: Vec::new(),
            is_dynamic: false,
        }
    }

    /// Puts the skill in a folder: `skill://acme/billing/refunds/SKILL.md` is in `acme/billing`. A
    /// skill in the folder of another skill is nested in it.
    #[must_use]
    pub fn within(mut self, folder: impl Into<String>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets a field of the front matter, such as `license`.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// Sets the text of `SKILL.md` that follows the front matter.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Adds a file. `path` is relative to the folder of the skill, with `/` between its segments.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), Arc::from(contents.into())));
        self
    }

    /// Declares that the contents are generated and may change with each read. Clients then get no
    /// digests to verify what they read, and some do not load the skill (Resources).
    #[must_use]
    pub fn dynamic(mut self) -> Self {
        self.is_dynamic = true;
        self
    }

    /// Checks the skill, and makes it ready to be served by a [`SkillSource`](super::SkillSource).
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skill.
    pub fn publish(self) -> Result<PublishedSkill, LoadError> {
        let path = self.path();
        let mut skills = publish([self])?.into_iter();
        let own = skills.find(|skill| skill.path() == path);
        own.ok_or_else(|| LoadError::of(path, "the path is not that of a folder"))
    }

    fn path(&self) -> String {
        match &self.folder {
            Some(folder) => format!("{folder}/{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Checks skills, and makes them ready to be served.
pub(super) fn publish(
    skills: impl IntoIterator<Item = Skill>,
) -> Result<Vec<PublishedSkill>, LoadError> {
    let mut files = Vec::new();
    let mut dynamic = BTreeSet::new();
    for skill in skills {
        let path = skill.path();
        let skill_md = front_matter::write(&skill.fields) + &skill.instructions;
        files.push((format!("{path}/{SKILL_MD}"), skill_md.into_bytes().into()));
        let others = skill.files.into_iter();
        files.extend(others.map(|(name, contents)| (format!("{path}/{name}"), contents)));
        if skill.is_dynamic {
            dynamic.insert(path);
        }
    }
    assemble(files, &dynamic)
}
