//! The URIs of skills and their files (ext-skills, "Resource Mapping").

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
    let decoded = decode_whatwg_bytes(last.as_bytes()).into_string().ok()?;
    Some(decoded)
}

/// Percent-encodes a path whose segments are separated by `/` (RFC 3986, section 3.3).
pub(super) fn encoded(path: &str) -> String {
    let segments = path.split('/');
    let encoded = segments.map(|it| PercentEncodedForUri::from_path_segment(it).to_string());
    encoded.collect::<Vec<_>>().join("/")
}
