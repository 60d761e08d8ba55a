//! Checks an entry, and looks files up in it.

use std::collections::HashMap;

use mcp_runtime::types::RawJson;

use super::file_uri;
use crate::skills::limits::{MAX_FILES, MAX_SKILL_BYTES};
use crate::skills::types::{SKILL_MD, is_name};
use crate::skills::{SkillEntry, SkillFile, SkillFiles, uri};

/// The files of a valid entry.
#[derive(Debug)]
pub(super) struct Manifest {
    /// The files by their URIs in normal form. `None` if the skill is dynamic.
    pub(super) files: Option<HashMap<String, SkillFile>>,
}

impl Manifest {
    /// Checks an entry (Skill Entries, Limits).
    ///
    /// # Errors
    ///
    /// Returns the first rule that the entry breaks.
    pub(super) fn of(entry: &SkillEntry) -> Result<Self, String> {
        let skill_md = file_uri::normal(&entry.uri).filter(|it| uri::directory(it).is_some());
        let skill_md = skill_md.ok_or("`uri` must be the URI of a `SKILL.md`")?;
        let directory = uri::directory(&skill_md).unwrap_or_default();
        let name = entry.name();
        if !is_name(name) {
            return Err(
                "`name` must have 1 to 64 lower-case letters, digits and single hyphens".to_owned(),
            );
        }
        if uri::name(&entry.uri).as_deref() != Some(name) {
            return Err(format!(
                "`uri` must end with `/{name}/{SKILL_MD}`, as `name` says"
            ));
        }
        if entry.description().is_empty() {
            return Err("`description` must be a string that is not empty".to_owned());
        }
        let files = match &entry.resources {
            SkillFiles::Dynamic => None,
            SkillFiles::Listed(files) => Some(listed(files, directory)?),
        };
        match &files {
            Some(files) if !files.contains_key(&skill_md) => {
                Err("`resources` must contain the skill's own `SKILL.md`".to_owned())
            }
            _ => Ok(Self { files }),
        }
    }

    /// Decodes and checks an entry.
    ///
    /// # Errors
    ///
    /// Returns the reason why the entry is invalid.
    pub(super) fn decode(entry: &RawJson) -> Result<(SkillEntry, Self), String> {
        let entry: SkillEntry = entry.parse().map_err(|error| error.to_string())?;
        let manifest = Self::of(&entry)?;
        Ok((entry, manifest))
    }

    /// Returns what the entry says about the file `uri`, in any spelling. `None` if the entry does not
    /// list the file.
    pub(super) fn file(&self, uri: &str) -> Option<&SkillFile> {
        self.files.as_ref()?.get(&file_uri::normal(uri)?)
    }

    /// Returns true if the skill has files below the directory `uri`, as far as the entry knows.
    pub(super) fn has_directory(&self, uri: &str) -> bool {
        self.files.as_ref().is_none_or(|files| {
            let mut files = files.keys();
            files.any(|file| file_uri::below(file, uri).is_some())
        })
    }
}

fn listed(files: &[SkillFile], directory: &str) -> Result<HashMap<String, SkillFile>, String> {
    if files.len() > MAX_FILES {
        let number = files.len();
        return Err(format!(
            "the skill has {number} files, but at most {MAX_FILES} are allowed"
        ));
    }
    let bytes = files
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.size));
    if bytes > MAX_SKILL_BYTES as u64 {
        return Err(format!(
            "the skill has {bytes} bytes, but at most {MAX_SKILL_BYTES} are allowed"
        ));
    }
    let mut found = HashMap::new();
    for file in files {
        let normal =
            file_uri::normal(&file.uri).filter(|it| file_uri::below(it, directory).is_some());
        let normal = normal.ok_or_else(|| {
            format!(
                "`{}` is not the URI of a file in the skill's directory",
                file.uri
            )
        })?;
        if found.insert(normal, file.clone()).is_some() {
            return Err(format!("`resources` contains `{}` twice", file.uri));
        }
    }
    Ok(found)
}
