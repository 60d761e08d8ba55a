//! Where in JSON text a decoder stopped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::value::RawValue;

/// Appends to `path` the way to the innermost member or element of `text` that `error` is about.
///
/// The decoder says where it stopped but not inside what; this finds out, and only when it must.
pub(crate) fn locate(text: &str, error: &serde_json::Error, path: &mut String) {
    if let Some(offset) = offset(text, error) {
        descend(text, offset, path);
    }
}

/// How many bytes of `text` had been read when `error` arose.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let line = error.line().checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    Some(before + error.column())
}

fn descend(text: &str, offset: usize, path: &mut String) {
    let start = |value: &RawValue| value.get().as_ptr().addr() - text.as_ptr().addr();
    let is_hit = |value: &RawValue| {
        let start = start(value);
        (start..=start + value.get().len()).contains(&offset)
    };
    let inner = if let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        let mut members = members.into_iter();
        let member = members.find(|(_, value)| is_hit(value));
        member.map(|(name, value)| {
            _ = write!(path, ".{name}");
            value
        })
    } else if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let mut elements = elements.into_iter().enumerate();
        let element = elements.find(|(_, value)| is_hit(value));
        element.map(|(index, value)| {
            _ = write!(path, "[{index}]");
            value
        })
    } else {
        None
    };
    if let Some(value) = inner {
        descend(value.get(), offset - start(value), path);
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
