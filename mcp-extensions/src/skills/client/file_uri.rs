//! The URIs of files, in a form in which they can be compared, and references to files.

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::percent_encode::decode::decode_whatwg_bytes;
use iri_string::types::{UriRelativeStr, UriStr};

use crate::skills::uri;

/// Returns the [normal form](uri::normal) of the URI of a file or a directory. Escapes that a path
/// can do without are removed as well, so `Q%26A.md` and `Q&A.md` are one file.
///
/// `None` if `uri` has a query or a fragment, or if its path has a segment that does not name a file
/// in every file system: if the segment is empty, `.` or `..`, or has a slash, a backslash, NUL or
/// bytes that are not UTF-8, in any spelling.
pub(super) fn normal(uri: &str) -> Option<String> {
    let normal = uri::normal(uri)?;
    let parsed = UriStr::new(&normal).ok()?;
    let path = parsed.path_str();
    let before = normal.strip_suffix(path)?;
    let mut segments = path.split('/');
    let mut result = before.to_owned();
    // What precedes the first slash is empty if the URI has an authority.
    result.push_str(segments.next()?);
    for segment in segments {
        let plain = decode_whatwg_bytes(segment.as_bytes()).into_string().ok()?;
        if plain.is_empty() || plain.contains(['/', '\\', '\0']) {
            return None;
        }
        let segment = PercentEncodedForUri::from_path_segment(&*plain);
        result.push_str(&format!("/{segment}"));
    }
    Some(result)
}

/// Returns the path of `uri` below `directory`. Both are in their normal form.
pub(super) fn below<'a>(uri: &'a str, directory: &str) -> Option<&'a str> {
    uri.strip_prefix(directory)?.strip_prefix('/')
}

/// Returns the URI of a path relative to `directory` (Relative References).
///
/// The path may have percent-escapes, like a link. If it has characters that the path of a URI can't
/// have, it is a path of a file system, and is encoded. `None` if it is a URI, or if it may leave the
/// directory.
pub(super) fn resolve(directory: &str, reference: &str) -> Option<String> {
    if UriStr::new(reference).is_ok() {
        return None;
    }
    let segments = reference.split('/').filter(|it| *it != ".");
    let mut path = segments.collect::<Vec<_>>().join("/");
    if path.contains(['?', '#']) || UriRelativeStr::new(&path).is_err() {
        let segments = path.split('/');
        let encoded = segments.map(|it| PercentEncodedForUri::from_path_segment(it).to_string());
        path = encoded.collect::<Vec<_>>().join("/");
    }
    let uri = format!("{directory}/{path}");
    normal(&uri).is_some().then_some(uri)
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
    fn a_path_is_below_a_directory_or_beside_it() {
        assert_eq!(below("skill://a/b/c", "skill://a"), Some("b/c"));
        assert_eq!(below("skill://ab/c", "skill://a"), None);
        assert_eq!(below("skill://a", "skill://a"), None);
    }
}
