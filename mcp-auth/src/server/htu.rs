//! URLs in proofs of possession, compared as RFC 9449 §4.3 asks for.

use crate::metadata::url::ServerUrl;

/// The URL of the resource, from which the URLs of its requests follow: a proxy may have changed the
/// host of a request.
#[derive(Clone, Debug)]
pub(super) struct BaseUrl {
    /// Normalized.
    origin: String,
    path: String,
}

impl BaseUrl {
    /// The base of the resource's URL; none if that is no URL.
    pub(super) fn new(resource: &str) -> Option<Self> {
        let (origin, path) = normalized(resource)?;
        Some(Self { origin, path })
    }

    /// True if `htu` is the URL of a request with this path, whose query does not count.
    ///
    /// A path that is not below the resource's has perhaps lost its first segments to a proxy or a
    /// router: `htu` may then be the URL of the resource as well.
    pub(super) fn is_at(&self, htu: &str, path: &str) -> bool {
        let Some((origin, found)) = normalized(htu) else {
            return false;
        };
        let path = normalized_path(path);
        let base = self.path.trim_end_matches('/');
        let rest = path.strip_prefix(base);
        let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        origin == self.origin && (found == path || !is_below && found == self.path)
    }
}

/// Origin and path of a URL without a fragment.
fn normalized(url: &str) -> Option<(String, String)> {
    let url = ServerUrl::parse(url).ok()?;
    Some((url.origin(), normalized_path(url.path)))
}

/// A path in the form that equal paths have (RFC 3986 §6.2.2, §6.2.3): unreserved characters are not
/// encoded, and others are in upper case.
fn normalized_path(path: &str) -> String {
    let mut normalized = String::with_capacity(path.len().max(1));
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        let (before, encoded) = rest.split_at(at);
        normalized.push_str(before);
        let digits = encoded.get(1..3);
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                normalized.push(char::from(byte));
            }
            _ => normalized.push_str(&encoded.get(..3).unwrap_or(encoded).to_ascii_uppercase()),
        }
        rest = encoded.get(3..).unwrap_or_default();
    }
    normalized.push_str(rest);
    if normalized.is_empty() {
        normalized.push('/');
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_at(resource: &str, htu: &str, path: &str) -> bool {
        BaseUrl::new(resource).unwrap().is_at(htu, path)
    }

    #[test]
    fn a_url_has_several_forms() {
        let resource = "https://Example.com:443/mcp";
        for htu in [
            "https://example.com/mcp",
            "HTTPS://EXAMPLE.COM:443/mcp",
            "https://example.com/mcp?a=b",
            "https://example.com/%6Dcp",
        ] {
            assert!(is_at(resource, htu, "/mcp"), "{htu}");
        }
        for htu in [
            "http://example.com/mcp",
            "https://example.com:8443/mcp",
            "https://example.com.evil.example/mcp",
            "https://example.com/mcp/",
            "https://example.com/MCP",
            "https://example.com/other",
            "https://example.com",
            "/mcp",
            "",
        ] {
            assert!(!is_at(resource, htu, "/mcp"), "{htu}");
        }
        assert!(is_at("https://a", "https://a/", "/"));
        assert!(is_at("https://a", "https://a", "/"));
        assert!(is_at("https://a/%c3%a9", "https://a/%C3%A9", "/%c3%A9"));
        assert!(!is_at("https://a/b", "https://a/%", "/b"));
        assert!(!is_at("https://a/b", "https://a/b%2Fc", "/b/c"));
    }

    #[test]
    fn the_path_of_the_request_counts_below_the_resource() {
        assert!(is_at("https://a/b", "https://a/b/c", "/b/c"));
        assert!(!is_at("https://a/b", "https://a/b", "/b/c"));
        assert!(is_at("https://a", "https://a/c", "/c"));
        assert!(!is_at("https://a", "https://a/", "/c"));
    }

    #[test]
    fn a_path_without_its_first_segments_is_the_resources() {
        assert!(is_at("https://a/b", "https://a/b", "/"));
        assert!(is_at("https://a/b", "https://a/", "/"));
        assert!(!is_at("https://a/b", "https://a/c", "/"));
    }
}
