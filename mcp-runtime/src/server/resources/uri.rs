//! Normal and canonical spellings of URIs (RFC 3986, sections 2 and 6.2.2).

use std::fmt::Write as _;

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::types::UriStr;

/// Returns whether `text` is a URI: with a scheme, and of no other characters than RFC 3986 allows.
pub(super) fn is_uri(text: &str) -> bool {
    UriStr::new(text).is_ok()
}

/// `uri` with its scheme in lower case, without escapes of unreserved characters, and with the
/// other escapes in upper case.
///
/// Neither the case of the authority nor dot segments change: in most schemes of resources the
/// authority is a name of their own, not a host.
pub(super) fn normalize(uri: &str) -> String {
    let scheme = uri.split_once(':').filter(|(scheme, _)| {
        let allowed = |it: char| it.is_ascii_alphanumeric() || "+-.".contains(it);
        scheme.chars().all(allowed)
    });
    match scheme {
        Some((scheme, rest)) => {
            format!(
                "{}:{}",
                scheme.to_ascii_lowercase(),
                normalize_escapes(rest)
            )
        }
        None => normalize_escapes(uri),
    }
}

/// `text` without escapes of unreserved characters, with the other escapes in upper case, and with
/// escapes for what can't stand in a URI.
pub(super) fn normalize_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('%');
    push_allowed(&mut out, pieces.next().unwrap_or_default());
    for piece in pieces {
        let rest = match octet(piece) {
            Some(octet) => {
                let letter = char::from(octet);
                if letter.is_ascii_alphanumeric() || "-._~".contains(letter) {
                    out.push(letter);
                } else {
                    // Writing to a string can't fail.
                    let _ = write!(out, "%{octet:02X}");
                }
                &piece[2..]
            }
            None => {
                out.push('%');
                piece
            }
        };
        push_allowed(&mut out, rest);
    }
    out
}

/// Appends the value of a variable as a template's expansion has it (RFC 6570, section 3.2.1).
///
/// `%` is always escaped, also where `reserved` characters are not, so that the URI is read back as
/// the same value. `[` and `]` always are, as they can stand in a host only.
pub(super) fn push_value(out: &mut String, value: &str, reserved: bool) {
    if !reserved {
        // Writing to a string can't fail.
        let _ = write!(out, "{}", PercentEncodedForUri::unreserve(value));
        return;
    }
    for piece in value.split_inclusive(['[', ']']) {
        let plain = piece.strip_suffix(['[', ']']).unwrap_or(piece);
        push_allowed(out, plain);
        let _ = write!(
            out,
            "{}",
            PercentEncodedForUri::unreserve(&piece[plain.len()..])
        );
    }
}

/// Returns whether a part of the path, or the authority, is `.` or `..` (RFC 3986, section 3.3).
pub(super) fn has_dot_segments(uri: &str) -> bool {
    let (_, rest) = uri.split_once(':').unwrap_or(("", uri));
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    rest[..end]
        .split('/')
        .any(|part| part == "." || part == "..")
}

/// Appends `text` with escapes for what can't stand in a URI.
fn push_allowed(out: &mut String, text: &str) {
    // Writing to a string can't fail.
    let _ = write!(out, "{}", PercentEncodedForUri::characters(text));
}

/// The octet that two hexadecimal digits at the beginning of `text` stand for.
pub(super) fn octet(text: &str) -> Option<u8> {
    let digits = text.get(..2)?;
    let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hexadecimal.then(|| u8::from_str_radix(digits, 16).ok())?
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
            let mut out = String::new();
            push_value(&mut out, value, reserved);
            assert_eq!(out, expected);
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
