//! Where in JSON text a decoder stopped.

use std::fmt::Write as _;

use mcp_types::RawJsonRef;

/// Appends to `path` the way to the innermost member or element of `text` that `error` is about.
///
/// The decoder says where it stopped but not inside what; this finds out, and only when it must.
pub(crate) fn locate(text: &str, error: &serde_json::Error, path: &mut String) {
    if let Some(offset) = offset(text, error)
        && let Ok(json) = RawJsonRef::from_text(text)
    {
        descend(json, text.as_ptr().addr() + offset, path);
    }
}

/// How many bytes of `text` had been read when `error` arose.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let line = error.line().checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    Some(before + error.column())
}

/// Descends to the innermost part of `json` that has the address `at`.
fn descend(json: RawJsonRef<'_>, at: usize, path: &mut String) {
    let is_hit = |part: RawJsonRef<'_>| {
        let start = part.get().as_ptr().addr();
        (start..=start + part.get().len()).contains(&at)
    };
    let mut hit = None;
    if let Ok(members) = json.members() {
        let mut members = members.into_iter();
        if let Some((name, member)) = members.find(|(_, member)| is_hit(*member)) {
            _ = write!(path, ".{name}");
            hit = Some(member);
        }
    } else if let Ok(elements) = json.elements()
        && let Some(index) = elements.iter().position(|element| is_hit(*element))
    {
        _ = write!(path, "[{index}]");
        hit = Some(elements[index]);
    }
    if let Some(inner) = hit {
        descend(inner, at, path);
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Shelf {
        books: Vec<Book>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Book {
        pages: u32,
    }

    fn path(text: &str) -> String {
        let error = serde_json::from_str::<Shelf>(text).unwrap_err();
        let mut path = "shelf".to_owned();
        locate(text, &error, &mut path);
        path
    }

    #[test]
    fn a_fault_is_found_in_members_and_elements() {
        let text = "{ \"books\": [ {\"pages\": 1},\n {\"pages\": \"x\"} ] }";
        assert_eq!(path(text), "shelf.books[1].pages");
        assert_eq!(path(r#"{"books":[{"pages":1},{}]}"#), "shelf.books[1]");
        assert_eq!(path(r#"{"books":7}"#), "shelf.books");
    }

    #[test]
    fn a_fault_of_the_whole_is_found_nowhere_inside() {
        assert_eq!(path("{}"), "shelf");
        assert_eq!(path(r#"{"other":[1]}"#), "shelf");
        assert_eq!(path("[]"), "shelf");
    }
}
