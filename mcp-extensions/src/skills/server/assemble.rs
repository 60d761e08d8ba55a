//! Builds skills from files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_runtime::resources::media_type;

use super::fault::{Finding, LoadError};
use super::published::{PublishedFile, PublishedSkill};
use crate::skills::front_matter::{self, Remark};
use crate::skills::limits::{MAX_FILES, MAX_SKILL_BYTES};
use crate::skills::types::{Digest, SKILL_MD};
use crate::skills::uri;

/// Files by their paths, which have `/` on every platform.
pub(super) type Files = BTreeMap<String, Arc<[u8]>>;

/// Builds a skill from each folder that has a `SKILL.md`, in the order of their paths. The skills whose
/// paths are in `dynamic` publish no digests.
///
/// # Errors
///
/// Fails with everything that is wrong. Each file must belong to a skill.
pub(super) fn assemble(
    files: impl IntoIterator<Item = (String, Arc<[u8]>)>,
    dynamic: &BTreeSet<String>,
) -> Result<Vec<PublishedSkill>, LoadError> {
    let mut faults = Vec::new();
    let mut known = Files::new();
    for (path, bytes) in files {
        if known.insert(path.clone(), bytes).is_some() {
            faults.push(Finding::new(path, "it is listed twice: remove one"));
        }
    }
    for path in known.keys().filter(|path| unfit(path).is_none()) {
        let is_skill = |folder: &str| known.contains_key(&format!("{folder}/{SKILL_MD}"));
        let (folder, name) = split(path);
        if !parents(path).any(is_skill) && misplaced(folder, name, false).is_none() {
            let text = "it belongs to no skill: add the `SKILL.md` of its folder, or remove it";
            faults.push(Finding::new(path, text));
        }
    }
    publish(known, dynamic, faults)
}

/// Builds the skills that `files` contain.
///
/// # Errors
///
/// Fails with `faults` and with all faults of the files, if there are any.
pub(super) fn publish(
    mut files: Files,
    dynamic: &BTreeSet<String>,
    mut faults: Vec<Finding>,
) -> Result<Vec<PublishedSkill>, LoadError> {
    check_paths(&mut files, &mut faults);
    let digests = files.iter().map(|(path, bytes)| (path, Digest::of(bytes)));
    let digests: BTreeMap<_, _> = digests.collect();
    let mut skills = Vec::new();
    for (skill_md, bytes) in &files {
        let Some((path, SKILL_MD)) = skill_md.rsplit_once('/') else {
            continue;
        };
        let start = format!("{path}/");
        let own = files.range(start.clone()..);
        let own = own.take_while(|(file, _)| file.starts_with(&start));
        let mut usage = Usage::default();
        let own = own.map(|(file, bytes)| {
            let text = usage.add(bytes.len()).err();
            faults.extend(text.map(|text| Finding::new(file, text)));
            PublishedFile {
                path: file[start.len()..].to_owned(),
                bytes: Arc::clone(bytes),
                digest: digests[file].clone(),
                media_type: media_type_of(file, bytes),
            }
        });
        let own = own.collect();
        let finding = |Remark { line, text }| Finding {
            file: skill_md.clone(),
            line: Some(line),
            text,
        };
        match front_matter::parse(bytes) {
            Ok(read) => {
                let wrong = front_matter::check(&read, split(path).1);
                faults.extend(wrong.into_iter().map(finding));
                skills.push(PublishedSkill {
                    path: path.to_owned(),
                    fields: Arc::new(read.fields),
                    files: own,
                    is_dynamic: dynamic.contains(path),
                    warnings: read.warnings.into_iter().map(finding).collect(),
                });
            }
            Err(wrong) => faults.extend(wrong.into_iter().map(finding)),
        }
    }
    if !faults.is_empty() {
        faults.sort();
        faults.dedup();
        return Err(LoadError { faults });
    }
    skills.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(skills)
}

/// Reports the paths that can't be served, and removes those that are not plain paths.
fn check_paths(files: &mut Files, faults: &mut Vec<Finding>) {
    files.retain(|path, _| {
        let text = unfit(path);
        faults.extend(text.map(|text| Finding::new(path, text)));
        text.is_none()
    });
    let mut uris = BTreeMap::new();
    for path in files.keys() {
        let (folder, name) = split(path);
        let has_skill = files.contains_key(&format!("{folder}/{SKILL_MD}"));
        faults.extend(misplaced(folder, name, has_skill));
        if let Some(file) = parents(path).find(|it| files.contains_key(*it)) {
            let text = format!("it is a file, but `{path}` needs a folder: rename one");
            faults.push(Finding::new(file, text));
        }
        let uri = uri::normal(&uri::of(path));
        if let Some(other) = uri.and_then(|uri| uris.insert(uri, path)) {
            let text = format!("it has the same URI as `{other}`: rename one");
            faults.push(Finding::new(path, text));
        }
    }
}

/// Returns what is wrong with a path that is not a plain relative path on every platform.
fn unfit(path: &str) -> Option<&'static str> {
    let of = |segment: &str| match segment.as_bytes() {
        [] | b"." | b".." => Some("a path has no empty segment, `.` or `..`"),
        [b'.', ..] => Some("names that begin with a dot are not served: rename or remove it"),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => {
            Some("a path has no drive: rename it")
        }
        name if name.contains(&b'\\') => Some("a path has no `\\`: separate folders with `/`"),
        _ if segment.contains(char::is_control) => {
            Some("a path has no control characters: rename it")
        }
        _ => None,
    };
    path.split('/').find_map(of)
}

/// Returns what is wrong with a file that should be the `SKILL.md` of a folder.
pub(super) fn misplaced(folder: &str, name: &str, has_skill: bool) -> Option<Finding> {
    let text = match folder {
        _ if !name.eq_ignore_ascii_case(SKILL_MD) => return None,
        "" => "a skill needs a folder: move the file into a folder with the skill's name",
        _ if has_skill => return None,
        _ => "the name must be `SKILL.md` in this case: rename it",
    };
    Some(Finding::new(
        format!("{folder}/{name}").trim_start_matches('/'),
        text,
    ))
}

/// Splits a path into the folder and the name of the file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the folders that hold a file.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

fn media_type_of(path: &str, bytes: &[u8]) -> &'static str {
    media_type(path).unwrap_or_else(|| match str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => "text/plain",
        _ => "application/octet-stream",
    })
}

/// The number of files of a skill, and the sum of their sizes.
#[derive(Default)]
pub(super) struct Usage {
    files: usize,
    pub(super) bytes: usize,
}

impl Usage {
    /// Adds a file. Fails for the first file that exceeds a limit (Limits).
    pub(super) fn add(&mut self, size: usize) -> Result<(), &'static str> {
        let was_over = self.is_over();
        self.files += 1;
        self.bytes += size;
        if was_over || !self.is_over() {
            return Ok(());
        }
        Err(
            "with this file, its skill has over 512 files or 16 MiB: remove files or split the skill",
        )
    }

    pub(super) fn is_over(&self) -> bool {
        self.files > MAX_FILES || self.bytes > MAX_SKILL_BYTES
    }
}

#[cfg(test)]
pub(super) mod tests;
