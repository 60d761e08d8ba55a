//! Normalizes, decodes and encodes URIs (RFC 3986, sections 2 and 6.2.2).

use std::fmt::{self, Write as _};

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::percent_encode::decode::{DecodedFragment, decode_whatwg_bytes};
use iri_string::types::UriStr;

use super::UriTemplate;

/// Returns true if `text` is a URI: it has a scheme, and only characters that RFC 3986 allows.
pub(super) fn is_uri(text: &str) -> bool {
    UriStr::new(text).is_ok()
}

/// Normalizes a URI: converts the scheme to lower case, decodes escapes of unreserved characters, and
/// converts other escapes to upper case.
///
/// The authority keeps its case, because in most schemes of resources it is not a host name. Dot
/// segments are not removed.
pub(super) fn normalize(uri: &str) -> String {
    let allowed = |it: char| it.is_ascii_alphanumeric() || "+-.".contains(it);
    match uri.split_once(':') {
        Some((scheme, rest)) if scheme.chars().all(allowed) => {
            let scheme = scheme.to_ascii_lowercase();
            format!("{scheme}:{}", normalize_escapes(rest))
        }
        _ => normalize_escapes(uri),
    }
}

/// Decodes escapes of unreserved characters, converts other escapes to upper case, and escapes
/// characters that are not allowed in a URI.
pub(super) fn normalize_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for fragment in decode_whatwg_bytes(text.as_bytes()).bytes_fragments() {
        // Writing to a string can't fail.
        let _ = match fragment {
            DecodedFragment::Direct(plain) => {
                let plain = str::from_utf8(plain).unwrap_or_default();
                write!(out, "{}", PercentEncodedForUri::characters(plain))
            }
            DecodedFragment::DecodedByte(octet) => {
                let letter = char::from(octet);
                if letter.is_ascii_alphanumeric() || "-._~".contains(letter) {
                    out.write_char(letter)
                } else {
                    write!(out, "%{octet:02X}")
                }
            }
            DecodedFragment::StrayPercent => out.write_char('%'),
        };
    }
    out
}

/// Decodes all escapes (RFC 3986, section 2.1). Returns `None` if a `%` does not begin an escape, or
/// if the octets are not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut octets = Vec::with_capacity(text.len());
    for fragment in decode_whatwg_bytes(text.as_bytes()).bytes_fragments() {
        match fragment {
            DecodedFragment::Direct(plain) => octets.extend_from_slice(plain),
            DecodedFragment::DecodedByte(octet) => octets.push(octet),
            DecodedFragment::StrayPercent => return None,
        }
    }
    String::from_utf8(octets).ok()
}

/// Encodes the value of a variable for the expansion of a template (RFC 6570, section 3.2.1). If
/// `reserved` is true, reserved characters are not escaped.
///
/// `%` is always escaped, so that the value can be read back from the URI. `[` and `]` are always
/// escaped, because they are allowed only in a host.
pub(super) fn encode(value: &str, reserved: bool) -> String {
    if !reserved {
        return PercentEncodedForUri::unreserve(value).to_string();
    }
    let encoded = PercentEncodedForUri::characters(value).to_string();
    encoded.replace('[', "%5B").replace(']', "%5D")
}

/// Returns true if the authority or a segment of the path is `.` or `..` (RFC 3986, section 3.3).
pub(super) fn has_dot_segments(uri: &str) -> bool {
    let (_, rest) = uri.split_once(':').unwrap_or(("", uri));
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|part| part == "." || part == "..")
}

/// The URI of a resource. `#[resource]` generates a function that builds it from the values of the
/// variables.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Memory;
///
/// #[mcp_server]
/// impl Memory {
///     #[resource("memory://entity/{name}", subscribe)]
///     fn entity(&self, name: String) -> String {
///         name
///     }
///
///     /// Changes an entity.
///     #[tool]
///     fn change(&self, name: String, cx: &Context) {
///         cx.notify_resource_updated(Self::entity_uri(name));
///     }
/// }
///
/// assert_eq!(Memory::entity_uri("New York").as_ref(), "memory://entity/New%20York");
/// # drop(Memory.into_server());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceUri(String);

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ResourceUri {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<ResourceUri> for String {
    fn from(uri: ResourceUri) -> Self {
        uri.0
    }
}

/// Expands a URI template that a macro has already parsed. Values that are `None` are left out.
pub fn resource_uri(template: &str, values: &[(&str, Option<&dyn fmt::Display>)]) -> ResourceUri {
    let values = values.iter();
    let values =
        values.filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_string())));
    ResourceUri(match UriTemplate::parse(template) {
        Ok(parsed) if !parsed.is_literal() => parsed.expand(&values.collect()),
        _ => template.to_owned(),
    })
}

/// Checks a constant that is the URI of a resource. Macro output calls this function at compile time.
///
/// # Panics
///
/// Panics if the URI has no scheme, or has variables.
#[must_use]
pub const fn constant_uri(uri: &'static str) -> &'static str {
    let bytes = uri.as_bytes();
    let mut at = 0;
    let mut has_scheme = false;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'}' => {
                panic!("a constant URI can't have variables: write the template in the attribute")
            }
            b':' if at > 0 => has_scheme = true,
            letter
                if !has_scheme
                    && !letter.is_ascii_alphanumeric()
                    && !matches!(letter, b'+' | b'-' | b'.') =>
            {
                break;
            }
            _ => {}
        }
        at += 1;
    }
    assert!(
        has_scheme,
        "the URI of a resource must begin with a scheme, as in `book://…`"
    );
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_uri_have_one_normal_form() {
        for (uri, normal) in [
            ("file:///%70riv%61te/%c3%A9", "file:///private/%C3%A9"),
            ("FILE:///a%2fb%7Ec", "file:///a%2Fb~c"),
            ("book://Emma", "book://Emma"),
            ("note:é b", "note:%C3%A9%20b"),
            ("x:%zz%4", "x:%zz%4"),
        ] {
            assert_eq!(normalize(uri), normal);
            assert_eq!(normalize(normal), normal);
        }
    }

    #[test]
    fn values_are_escaped_as_their_expression_wants() {
        let value = "a/b?[é]%41 ~";
        for (reserved, expected) in [
            (false, "a%2Fb%3F%5B%C3%A9%5D%2541%20~"),
            (true, "a/b?%5B%C3%A9%5D%2541%20~"),
        ] {
            assert_eq!(encode(value, reserved), expected);
        }
    }

    #[test]
    fn dot_segments_are_found_before_the_query() {
        for uri in ["x:..", "x:/a/./b", "x://../a", "x:///a/.."] {
            assert!(has_dot_segments(uri), "{uri}");
        }
        for uri in ["x:a..b", "x:/...", "x:/a?b=/../c", "x:/a#/.."] {
            assert!(!has_dot_segments(uri), "{uri}");
        }
    }

    #[test]
    fn only_what_has_a_scheme_and_allowed_characters_is_a_uri() {
        for uri in ["file:///a%20b", "urn:isbn:978", "x:", "gh+repo://[::1]/a"] {
            assert!(is_uri(uri), "{uri}");
        }
        for text in [
            "",
            "nothing",
            "/a",
            "file:///a b",
            "file:///%zz",
            "x:é",
            "x:a\\b",
            "1x:a",
        ] {
            assert!(!is_uri(text), "{text}");
        }
    }
}
