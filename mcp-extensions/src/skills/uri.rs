//! The URIs of skills and their files (ext-skills, "Resource Mapping").

use std::fmt::Write as _;

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::percent_encode::decode::decode_whatwg_bytes;
use iri_string::types::UriStr;

use super::types::SKILL_MD;

/// Returns the normal form of `uri` (RFC 3986, section 6.2.2), in which two spellings of one URI are
/// the same. `None` if `uri` is not an absolute URI, or if its path has segments `.` or `..`, in any
/// spelling.
pub(super) fn normal(uri: &str) -> Option<String> {
    let parsed = UriStr::new(uri).ok()?;
    let has_dots = parsed.path_str().split('/').any(|segment| {
        let plain = segment.replace("%2e", ".").replace("%2E", ".");
        plain == "." || plain == ".."
    });
    (!has_dots).then(|| parsed.normalize().to_string())
}

/// Returns the URI of a skill's directory, without a slash at its end. `None` if `uri` is not the URI
/// of a `SKILL.md`.
pub(super) fn directory(uri: &str) -> Option<&str> {
    uri.strip_suffix(SKILL_MD)?.strip_suffix('/')
}

/// Returns the name that the URI of a `SKILL.md` gives its skill: the last segment of its directory.
pub(super) fn name(uri: &str) -> Option<String> {
    let directory = directory(uri)?;
    let (_, last) = directory.rsplit_once('/')?;
    decoded(last)
}

/// Returns the URI of a path below `skill://`, whose first segment is the authority.
pub(super) fn of(path: &str) -> String {
    let mut segments = path.split('/');
    let first = segments.next().unwrap_or_default();
    let mut uri = format!("skill://{}", PercentEncodedForUri::from_reg_name(first));
    for segment in segments {
        // Writing to a string can't fail.
        let _ = write!(uri, "/{}", PercentEncodedForUri::from_path_segment(segment));
    }
    uri
}

/// Returns the path of a `skill://` URI, decoded. `None` if [`of`] makes another URI of this path.
pub(super) fn path(uri: &str) -> Option<String> {
    let normal = normal(uri)?;
    let (_, encoded) = uri.split_once("://")?;
    let path = decoded(encoded)?;
    (self::normal(&of(&path))? == normal).then_some(path)
}

fn decoded(text: &str) -> Option<String> {
    let text = decode_whatwg_bytes(text.as_bytes()).into_string();
    text.ok().map(|text| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_back_from_its_uri() {
        for (path, uri) in [
            ("refunds/SKILL.md", "skill://refunds/SKILL.md"),
            ("Acme/a b/é.md", "skill://Acme/a%20b/%C3%A9.md"),
            ("a:80/x@y:z", "skill://a%3A80/x@y:z"),
            ("a/50%25/?#[]", "skill://a/50%2525/%3F%23%5B%5D"),
            ("a/b//c", "skill://a/b//c"),
        ] {
            assert_eq!(of(path), uri);
            assert_eq!(super::path(uri).as_deref(), Some(path));
        }
        assert_eq!(super::path("SKILL://a/%62").as_deref(), Some("a/b"));
    }

    #[test]
    fn only_spellings_of_a_path_have_one() {
        for uri in [
            "",
            "a",
            "/a",
            "file:///a",
            "https://a/b",
            "skill:a/b",
            "skill://a/%2e%2e/b",
            "skill://a/../b",
            "skill://a/./b",
            "skill://a%2Fb",
            "skill://a/b%2fc",
            "skill://a/%zz",
            "skill://a/%ff",
            "skill://a/b?c",
            "skill://a/b#c",
            "skill://user@a/b",
            "skill://a:80/b",
            "skill://a/b c",
        ] {
            assert_eq!(super::path(uri), None, "{uri}");
        }
    }

    #[test]
    fn spellings_of_one_uri_have_one_normal_form() {
        let normal = |uri| super::normal(uri).unwrap();
        assert_eq!(normal("SKILL://a/%62%c3%a9"), normal("skill://a/b%C3%A9"));
        assert_ne!(normal("skill://a/b%2Fc"), normal("skill://a/b/c"));
        assert_eq!(
            name("skill://a/pdf%2Dtools/SKILL.md").as_deref(),
            Some("pdf-tools")
        );
        for uri in [
            "skill://a",
            "skill://a/skill.md",
            "skill://aSKILL.md",
            "SKILL.md",
        ] {
            assert_eq!(name(uri), None, "{uri}");
        }
    }
}
