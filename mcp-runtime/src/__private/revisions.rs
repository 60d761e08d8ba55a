//! Sets of revisions in attributes.

use mcp_types::{Revision, Revisions};

/// Parses a set of revisions in an attribute: `2025-06-18..`, `..=2025-11-25`,
/// `2025-03-26..=2025-11-25` or a single revision. Called at compile time.
///
/// # Panics
///
/// When the text is none of these, or the set is empty.
#[must_use]
pub const fn revisions(text: &str) -> Revisions {
    let text = text.as_bytes();
    let mut dots = 0;
    while dots + 1 < text.len() && !(text[dots] == b'.' && text[dots + 1] == b'.') {
        dots += 1;
    }
    if dots + 1 >= text.len() {
        return Revisions::only(revision(text));
    }
    let (oldest, newest) = text.split_at(dots);
    let mut set = Revisions::ALL;
    if !oldest.is_empty() {
        set = set.from(revision(oldest));
    }
    if let [_, _, newest @ ..] = newest
        && let [sign, newest @ ..] = newest
    {
        assert!(*sign == b'=', "write `..=` before the newest revision");
        set = set.up_to(revision(newest));
    }
    assert!(!set.is_empty(), "the range has no revision in it");
    set
}

/// The revision that is called `name`.
const fn revision(name: &[u8]) -> Revision {
    let mut index = 0;
    while index < Revision::ALL.len() {
        let known = Revision::ALL[index].as_str().as_bytes();
        let mut same = 0;
        while same < name.len() && same < known.len() && name[same] == known[same] {
            same += 1;
        }
        if same == name.len() && same == known.len() {
            return Revision::ALL[index];
        }
        index += 1;
    }
    panic!("there is no revision of this date: see `mcp_runtime::Revision`")
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
