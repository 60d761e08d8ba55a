//! Sets of revisions, as they are written in an attribute.

use mcp_types::{Revision, Revisions};

/// Reads `2025-06-18..`, `..=2025-11-25`, `2025-03-26..=2025-11-25` or a single revision.
///
/// Macro output calls it while the program is compiled.
///
/// # Panics
///
/// When the text is none of these, or the set is empty.
#[must_use]
pub const fn revisions(text: &str) -> Revisions {
    let bytes = text.as_bytes();
    let mut dots = 0;
    while dots + 1 < bytes.len() && !(bytes[dots] == b'.' && bytes[dots + 1] == b'.') {
        dots += 1;
    }
    if dots + 1 >= bytes.len() {
        return Revisions::only(revision(bytes, 0, bytes.len()));
    }
    let mut set = Revisions::ALL;
    if dots > 0 {
        set = set.from(revision(bytes, 0, dots));
    }
    let end = dots + 2;
    if end < bytes.len() {
        assert!(bytes[end] == b'=', "write `..=` before the newest revision");
        set = set.up_to(revision(bytes, end + 1, bytes.len()));
    }
    assert!(!set.is_empty(), "the range has no revision in it");
    set
}

/// The revision that stands between two places of `bytes`.
const fn revision(bytes: &[u8], from: usize, to: usize) -> Revision {
    let mut index = 0;
    while index < Revision::ALL.len() {
        let revision = Revision::ALL[index];
        if is_at(revision.as_str().as_bytes(), bytes, from, to) {
            return revision;
        }
        index += 1;
    }
    panic!("there is no revision of this date: see `mcp_runtime::Revision`")
}

const fn is_at(name: &[u8], bytes: &[u8], from: usize, to: usize) -> bool {
    if name.len() != to - from {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if name[index] != bytes[from + index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use mcp_types::Revision;

    use super::revisions;

    #[track_caller]
    fn check(text: &str, oldest: &str, newest: &str) {
        let set = revisions(text);
        assert_eq!(set.since().map(Revision::as_str), Some(oldest));
        let last = set.iter().next_back();
        assert_eq!(last.map(Revision::as_str), Some(newest));
    }

    #[test]
    fn ranges_have_two_ends_one_or_are_a_date() {
        let latest = Revision::ALL.last().unwrap().as_str();
        check("2025-06-18..", "2025-06-18", latest);
        check("..=2025-03-26", "2024-11-05", "2025-03-26");
        check("2025-03-26..=2025-11-25", "2025-03-26", "2025-11-25");
        check("2025-06-18", "2025-06-18", "2025-06-18");
    }
}
