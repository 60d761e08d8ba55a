//! Addresses that a server names.

use http::Uri;
use http::uri::{Authority, Scheme};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};

/// The address that `reference` names in an answer from `base`, if it belongs to the same origin.
/// No server may send a client, with what it says and knows, to another one.
pub(super) fn same_origin(base: &Uri, reference: &str) -> Option<Uri> {
    let named = resolved(base, reference)?;
    (origin(&named)? == origin(base)?).then_some(named)
}

/// The reference resolved against `base` (RFC 3986, section 5).
fn resolved(base: &Uri, reference: &str) -> Option<Uri> {
    let base = base.to_string();
    let base = UriAbsoluteStr::new(&base).ok()?;
    let reference = UriReferenceStr::new(reference).ok()?;
    reference.resolve_against(base).to_string().parse().ok()
}

/// Scheme, host and port.
fn origin(uri: &Uri) -> Option<(&Scheme, String, u16)> {
    let scheme = uri.scheme()?;
    let usual = if *scheme == Scheme::HTTPS { 443 } else { 80 };
    let port = uri.authority().and_then(Authority::port_u16);
    Some((
        scheme,
        uri.host()?.to_ascii_lowercase(),
        port.unwrap_or(usual),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_and_stay_at_their_origin() {
        let base = "http://Example.com/a/sse?x=1".parse().unwrap();
        for (reference, expected) in [
            ("/messages?id=1", Some("http://Example.com/messages?id=1")),
            (
                "/m?next=http://x",
                Some("http://Example.com/m?next=http://x"),
            ),
            (
                "m?next=http://x",
                Some("http://Example.com/a/m?next=http://x"),
            ),
            ("../m", Some("http://Example.com/m")),
            ("m m", None),
            ("messages", Some("http://Example.com/a/messages")),
            ("?id=1", Some("http://Example.com/a/sse?id=1")),
            ("http://example.com:80/m", Some("http://example.com:80/m")),
            ("//example.com/m", Some("http://example.com/m")),
            ("https://example.com/m", None),
            ("http://example.com:81/m", None),
            ("http://evil.com/m", None),
            ("//evil.com/m", None),
            ("http://example.com@evil.com/m", None),
            ("http://", None),
        ] {
            let found = same_origin(&base, reference).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{reference}");
        }
    }
}
