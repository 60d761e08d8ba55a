//! Parsed URLs of servers.

use std::net::IpAddr;

use iri_string::types::UriStr;

use super::MetadataError;

/// The components of an `http` or `https` URL without user and fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerUrl<'a> {
    scheme: &'a str,
    authority: &'a str,
    /// Empty, or begins with `/`.
    pub(crate) path: &'a str,
    pub(super) query: Option<&'a str>,
}

impl<'a> ServerUrl<'a> {
    pub(crate) fn parse(url: &'a str) -> Result<Self, MetadataError> {
        Self::parts(url).ok_or_else(|| MetadataError::Url(url.to_owned()))
    }

    fn parts(url: &'a str) -> Option<Self> {
        let uri = UriStr::new(url).ok()?;
        let scheme = uri.scheme_str();
        let is_http = ["https", "http"]
            .iter()
            .any(|it| scheme.eq_ignore_ascii_case(it));
        let authority = uri.authority_components()?;
        let is_plain = authority.userinfo().is_none() && uri.fragment().is_none();
        if !is_http || !is_plain || authority.host().is_empty() {
            return None;
        }
        Some(Self {
            scheme,
            authority: uri.authority_str()?,
            path: uri.path_str(),
            query: uri.query_str(),
        })
    }

    /// Scheme, host and any non-default port, in lower case.
    pub(crate) fn origin(&self) -> String {
        let scheme = self.scheme.to_ascii_lowercase();
        let authority = self.authority.to_ascii_lowercase();
        let default_port = if scheme == "https" { ":443" } else { ":80" };
        let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
        let authority = authority.strip_suffix(':').unwrap_or(authority);
        format!("{scheme}://{authority}")
    }

    /// The host as written in the URL.
    pub(crate) fn host(&self) -> &'a str {
        let authority = self.authority;
        let end = authority
            .find(']')
            .map_or_else(|| authority.find(':'), |end| Some(end + 1));
        &authority[..end.unwrap_or(authority.len())]
    }

    /// Returns true if nobody on the network path can read requests: `https`, or `http` on the
    /// loopback interface.
    #[cfg_attr(not(any(feature = "client", feature = "server")), allow(dead_code))]
    pub(crate) fn is_secure(&self) -> bool {
        let host = self.host();
        let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        self.scheme.eq_ignore_ascii_case("https")
            || host.eq_ignore_ascii_case("localhost")
            || address.is_some_and(|address| address.is_loopback())
    }

    /// The URL with a well-known path inserted before `path`.
    pub(super) fn with_well_known(&self, name: &str, path: &str) -> String {
        format!("{}/.well-known/{name}{path}", self.origin())
    }

    /// The query with its `?`; empty if there is no query.
    pub(super) fn query_part(&self) -> String {
        self.query
            .map_or(String::new(), |query| format!("?{query}"))
    }

    /// A normalized form that is equal for URLs of the same server. An empty path equals `/`; all
    /// other paths must match exactly.
    pub(crate) fn identifier(&self) -> String {
        let path = if self.path == "/" { "" } else { self.path };
        format!("{}{path}{}", self.origin(), self.query_part())
    }

    /// Returns true if this URL equals `inner` or is a parent of it: both have the same origin, and
    /// the path of `inner` starts with all segments of this path.
    pub(crate) fn is_above(&self, inner: &ServerUrl<'_>) -> bool {
        let path = self.path.trim_end_matches('/');
        let below = inner.path.strip_prefix(path);
        self.origin() == inner.origin()
            && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns true if two issuers are equal. An empty path equals `/` (RFC 3986 §6.2.3); everything
/// else is compared character by character.
#[cfg_attr(not(feature = "client"), allow(dead_code))]
pub(crate) fn is_same_issuer(one: &str, other: &str) -> bool {
    fn without_root(url: &str) -> &str {
        let parts = ServerUrl::parse(url).ok();
        let is_root = parts.is_some_and(|it| it.path == "/" && it.query.is_none());
        url.strip_suffix('/').filter(|_| is_root).unwrap_or(url)
    }

    without_root(one) == without_root(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(url: &str) -> Option<String> {
        ServerUrl::parse(url).ok().map(|it| it.origin())
    }

    #[test]
    fn an_origin_has_one_form() {
        for url in [
            "HTTPS://MCP.example.com",
            "https://mcp.example.com:443/a?b",
            "https://mcp.example.com:/",
        ] {
            assert_eq!(
                origin(url).as_deref(),
                Some("https://mcp.example.com"),
                "{url}"
            );
        }
        assert_eq!(
            origin("http://[::1]:8080/a").as_deref(),
            Some("http://[::1]:8080")
        );
        assert_eq!(origin("http://a:443").as_deref(), Some("http://a:443"));
    }

    #[test]
    fn other_urls_are_refused() {
        for url in [
            "mcp.example.com",
            "",
            "/mcp",
            "ftp://a",
            "https:///a",
            "https:a",
            "https://user@a/",
            "https://a/#b",
            "https://a b/",
            "javascript:alert(1)",
        ] {
            assert_eq!(origin(url), None, "{url}");
        }
    }

    #[test]
    fn plain_http_is_secure_on_loopback_only() {
        let is_secure = |url| ServerUrl::parse(url).unwrap().is_secure();
        for url in [
            "https://a",
            "http://localhost:80/",
            "http://127.0.0.2",
            "http://[::1]:80/b",
        ] {
            assert!(is_secure(url), "{url}");
        }
        for url in [
            "http://a",
            "http://10.0.0.1:80",
            "http://[::2]",
            "http://localhost.a",
        ] {
            assert!(!is_secure(url), "{url}");
        }
    }

    #[test]
    fn an_issuer_with_an_empty_path_is_the_one_with_a_slash() {
        let one = "https://a.example";
        assert!(is_same_issuer(one, one));
        assert!(is_same_issuer(one, "https://a.example/"));
        assert!(is_same_issuer(
            "https://a.example:8443/",
            "https://a.example:8443"
        ));
        for (one, other) in [
            (one, "https://a.example//"),
            (one, "https://A.example/"),
            (one, "http://a.example/"),
            (one, "https://a.example:443/"),
            (one, "https://a.example/?"),
            ("https://a.example/b", "https://a.example/b/"),
            ("https://a.example?b=", "https://a.example?b=/"),
            ("a", "a/"),
        ] {
            assert!(!is_same_issuer(one, other), "{one} {other}");
            assert!(!is_same_issuer(other, one), "{one} {other}");
        }
    }

    #[test]
    fn a_url_is_above_those_with_its_path() {
        let is_above = |a, b| {
            ServerUrl::parse(a)
                .unwrap()
                .is_above(&ServerUrl::parse(b).unwrap())
        };
        assert!(is_above("https://a", "https://a/b"));
        assert!(is_above("https://a/", "https://a/b"));
        assert!(is_above("https://a/b", "https://A/b/c"));
        assert!(is_above("https://a/b", "https://a/b"));
        assert!(!is_above("https://a/b", "https://a/bc"));
        assert!(!is_above("https://a/b/c", "https://a/b"));
        assert!(!is_above("https://a", "http://a"));
        assert!(!is_above("https://a", "https://a.example"));
    }
}
