//! All files of the tree.

use std::fmt::Write as _;
use std::fs::{self, DirEntry};
use std::path::Path;

use mcp_types::Resource;

use super::media;
use super::path::is_hidden;
use crate::sorted::sorted;

/// The files under `root`, in the order of their paths, but no more than `most`.
///
/// Links are not followed, so that no file is listed twice and the walk ends.
pub(super) fn files(root: &Path, uri: &str, hidden: bool, most: usize) -> Vec<Resource> {
    let mut found = Vec::new();
    walk(root, "", hidden, most, &mut |path, entry| {
        let mut resource = Resource::new(path, format!("{uri}{}", encoded(path)));
        resource.mime_type = media::guess(&entry.path()).map(str::to_owned);
        let size = entry.metadata().ok().map(|file| file.len());
        resource.size = size.and_then(|size| i64::try_from(size).ok());
        found.push(resource);
        found.len()
    });
    found
}

/// Shows each file to `see`, which says how many it has seen.
fn walk(
    directory: &Path,
    prefix: &str,
    hidden: bool,
    most: usize,
    see: &mut dyn FnMut(&str, &DirEntry) -> usize,
) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return true;
    };
    let mut named = Vec::new();
    for entry in entries.flatten() {
        if let Ok(name) = entry.file_name().into_string()
            && (hidden || !is_hidden(Some(&name)))
        {
            named.push((name, entry));
        }
    }
    for (name, entry) in sorted(named, |(name, _)| name) {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = format!("{prefix}{name}");
        let goes_on = if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), hidden, most, see)
        } else {
            !kind.is_file() || see(&path, &entry) < most
        };
        if !goes_on {
            return false;
        }
    }
    true
}

/// A path as it stands in a URI (RFC 3986, section 3.3).
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn what_is_reserved_is_escaped() {
        assert_eq!(encoded("a/b c.txt"), "a/b%20c.txt");
        assert_eq!(encoded("é?#%"), "%C3%A9%3F%23%25");
    }
}
