//! From the path in a URI to a file that lies in the tree.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The file or directory under `root` that `path` names, with all symbolic links resolved.
///
/// `root` is canonical. `path` is what stood in the URI, decoded once; parts are separated by `/`
/// on every platform. `None` for whatever does not exist, or does not lie under `root`.
pub(super) fn resolve(root: &Path, path: &str, hidden: bool) -> Option<PathBuf> {
    let mut found = root.to_owned();
    for part in path.split('/') {
        if !is_plain(part) || (!hidden && part.starts_with('.')) {
            return None;
        }
        found.push(part);
    }
    let found = fs::canonicalize(found).ok()?;
    let inside = found.strip_prefix(root).ok()?;
    // A link may lead from a name that is shown to one that is not.
    let shown = |part: Component<'_>| hidden || !is_hidden(part.as_os_str().to_str());
    inside.components().all(shown).then_some(found)
}

/// Whether a name starts with a dot, or can't be told.
pub(super) fn is_hidden(name: Option<&str>) -> bool {
    name.is_none_or(|name| name.starts_with('.'))
}

/// Whether a part of a path is the name of a file or directory, and nothing else: not empty, no
/// step up, no drive, no separator of another platform, no end of a C string.
pub(super) fn is_plain(part: &str) -> bool {
    let mut components = Path::new(part).components();
    let is_name = matches!(components.next(), Some(Component::Normal(name)) if name == part);
    is_name && components.next().is_none() && !part.contains(['\\', '\0', ':'])
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_names_are_plain() {
        for name in ["a", "a.txt", "..a", "a..", "%2e%2e", "é", "a b"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "", ".", "..", "a/b", "/", "a\\b", "..\\a", "a\0", "C:", "C:a",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
