//! Checks entries, and looks files up in them. URIs are compared in a normal form.

use std::collections::HashSet;

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::percent_encode::decode::decode_whatwg_bytes;
use iri_string::types::{UriRelativeStr, UriStr};
use mcp_runtime::types::RawJson;

use crate::skills::limits::{MAX_FILES, MAX_SKILL_BYTES};
use crate::skills::types::is_name;
use crate::skills::{SkillEntry, SkillFile, SkillFiles, uri};

/// Decodes and checks an entry.
///
/// # Errors
///
/// Returns the reason why the entry is invalid.
pub(super) fn decode(json: &RawJson) -> Result<SkillEntry, String> {
    let entry = json.parse().map_err(|error| error.to_string())?;
    check(&entry)?;
    Ok(entry)
}

/// Checks an entry (Skill Entries, Limits).
///
/// # Errors
///
/// Returns the first rule that the entry breaks.
pub(super) fn check(entry: &SkillEntry) -> Result<(), String> {
    let name = entry.name();
    if !is_name(name) {
        return Err("`name` must have 1 to 64 of a-z, 0-9 and single hyphens".to_owned());
    }
    let skill_md = normal(&entry.uri).filter(|_| uri::name(&entry.uri).as_deref() == Some(name));
    let Some(skill_md) = skill_md else {
        return Err(format!(
            "`uri` must be a URI with the end `/{name}/SKILL.md`"
        ));
    };
    if entry.description().is_empty() {
        return Err("`description` must be a string that is not empty".to_owned());
    }
    match &entry.resources {
        SkillFiles::Dynamic => Ok(()),
        SkillFiles::Listed(files) => check_files(files, &skill_md),
    }
}

fn check_files(files: &[SkillFile], skill_md: &str) -> Result<(), String> {
    let (number, mut bytes) = (files.len(), 0_u64);
    let mut found = HashSet::new();
    for SkillFile { uri, size, .. } in files {
        bytes = bytes.saturating_add(*size);
        let Some(normal) = normal(uri).filter(|it| is_below(it, uri::directory(skill_md))) else {
            return Err(format!(
                "`{uri}` is not the URI of a file in the skill's directory"
            ));
        };
        if !found.insert(normal) {
            return Err(format!("`resources` contains `{uri}` twice"));
        }
    }
    if number > MAX_FILES || bytes > MAX_SKILL_BYTES as u64 {
        let limits = format!("{MAX_FILES} files and {MAX_SKILL_BYTES} bytes are allowed");
        return Err(format!(
            "it has {number} files and {bytes} bytes, but at most {limits}"
        ));
    }
    let has_own = found.contains(skill_md);
    has_own
        .then_some(())
        .ok_or_else(|| "`resources` lacks the skill's own `SKILL.md`".to_owned())
}

/// Returns the file `uri`, in any spelling. `None` if the entry does not list it.
pub(super) fn find<'a>(entry: &'a SkillEntry, uri: &str) -> Option<&'a SkillFile> {
    let SkillFiles::Listed(files) = &entry.resources else {
        return None;
    };
    let wanted = Some(normal(uri)?);
    files.iter().find(|it| normal(&it.uri) == wanted)
}

/// Returns true if the skill may have files below the directory `uri`.
pub(super) fn has_directory(entry: &SkillEntry, uri: &str) -> bool {
    let directory = normal(uri);
    match &entry.resources {
        SkillFiles::Dynamic => directory.is_some(),
        SkillFiles::Listed(files) => {
            let mut files = files.iter().filter_map(|it| normal(&it.uri));
            files.any(|file| is_below(&file, directory.as_deref()))
        }
    }
}

/// Returns true if `uri` is below `directory`. Both are in their normal form.
pub(super) fn is_below(uri: &str, directory: Option<&str>) -> bool {
    let path = directory.and_then(|it| uri.strip_prefix(it));
    path.is_some_and(|path| path.starts_with('/'))
}

/// Returns the [normal form](uri::normal) of the URI of a file or a directory. Escapes that a path
/// can do without are removed as well, so `Q%26A.md` and `Q&A.md` are one file.
///
/// `None` if `uri` has a query or a fragment, or if its path has a segment that does not name a file
/// in every file system: if the segment is empty, `.` or `..`, or has a slash, a backslash, NUL or
/// bytes that are not UTF-8, in any spelling.
pub(super) fn normal(uri: &str) -> Option<String> {
    let normal = uri::normal(&escaped(uri)).filter(|it| !it.contains(['?', '#']))?;
    let path = UriStr::new(&normal).ok()?.path_str();
    let segments = path.split('/').enumerate().map(|(place, segment)| {
        let plain = decode_whatwg_bytes(segment.as_bytes()).into_string().ok()?;
        // The path begins with a slash if the URI has an authority.
        let is_name = (place == 0 || !plain.is_empty()) && !plain.contains(['/', '\\', '\0']);
        is_name.then(|| encoded(&plain))
    });
    let path_after = segments.collect::<Option<Vec<_>>>()?.join("/");
    Some(format!("{}{path_after}", normal.strip_suffix(path)?))
}

/// Escapes what RFC 3986 does not allow in a path, although servers with the TypeScript SDK write it.
fn escaped(uri: &str) -> String {
    let path = uri.match_indices('/').nth(2).map_or(uri.len(), |it| it.0);
    let (before, path) = uri.split_at(path);
    let path = path.replace('[', "%5B").replace(']', "%5D");
    format!("{before}{}", path.replace('|', "%7C"))
}

/// Returns the URI of a path relative to `directory` (Relative References).
///
/// The path may have percent-escapes, like a link. If it has characters that the path of a URI can't
/// have, it is a path of a file system, and is encoded. `None` if it is a URI, or if it may leave the
/// directory.
pub(super) fn resolve(directory: &str, reference: &str) -> Option<String> {
    let segments = reference.split('/').filter(|it| *it != ".");
    let mut path = segments.collect::<Vec<_>>();
    let encoded: Vec<_> = path.iter().map(|it| encoded(it)).collect();
    if reference.contains(['?', '#']) || UriRelativeStr::new(reference).is_err() {
        path = encoded.iter().map(|it| &**it).collect();
    }
    let uri = format!("{directory}/{}", path.join("/"));
    (UriStr::new(reference).is_err() && normal(&uri).is_some()).then_some(uri)
}

fn encoded(segment: &str) -> String {
    PercentEncodedForUri::from_path_segment(segment).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_have_one_normal_form() {
        for (uri, expected) in [
            ("skill://a/b.md", "skill://a/b.md"),
            ("SKILL://A/b.md", "skill://a/b.md"),
            ("skill://a/%62%2emd", "skill://a/b.md"),
            ("skill://a/%c3%a9", "skill://a/%C3%A9"),
            ("skill://a/Q%26A", "skill://a/Q&A"),
            ("skill://a/100%25", "skill://a/100%25"),
            ("skill://a/[b]|c", "skill://a/%5Bb%5D%7Cc"),
            ("http://[::1]/[b]", "http://[::1]/%5Bb%5D"),
            ("skill://a", "skill://a"),
            ("file:///a", "file:///a"),
            ("a:b/c", "a:b/c"),
        ] {
            assert_eq!(normal(uri).as_deref(), Some(expected), "{uri}");
        }
    }

    #[test]
    fn what_does_not_name_a_file_has_no_normal_form() {
        for uri in [
            "",
            "a",
            "/a",
            "../a",
            "skill://a/",
            "skill://a//b",
            "skill://a/b/",
            "skill://a/.",
            "skill://a/..",
            "skill://a/../b",
            "skill://a/%2e%2E/b",
            "skill://a/.%2e/b",
            "skill://a/..%2fb",
            "skill://a/..%5Cb",
            "skill://a/b%00",
            "skill://a/b?c",
            "skill://a?b",
            "skill://a/b#c",
            "skill://a/b c",
            "skill://a/\\b",
            "skill://a/%zz",
            "skill://a/%ff",
        ] {
            assert_eq!(normal(uri), None, "{uri}");
        }
    }

    #[test]
    fn a_file_is_below_a_directory_or_beside_it() {
        assert!(is_below("skill://a/b/c", Some("skill://a")));
        assert!(!is_below("skill://ab/c", Some("skill://a")));
        assert!(!is_below("skill://a", Some("skill://a")));
    }
}
