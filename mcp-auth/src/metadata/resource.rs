//! Metadata of protected resources.

use serde::{Deserialize, Serialize};

use super::MetadataError;
use super::url::ServerUrl;

const NAME: &str = "oauth-protected-resource";

/// Metadata of an MCP server as a protected resource (RFC 9728 §2).
///
/// Unknown members are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProtectedResourceMetadata {
    /// The identifier of the resource, which is the server's URL. Token requests repeat it
    /// unchanged.
    pub resource: String,
    /// The issuers of tokens for the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_servers: Vec<String>,
    /// The scopes that the server's basic functions need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// How tokens can be sent: `header`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer_methods_supported: Option<Vec<String>>,
    /// The name of the resource, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// Algorithms for DPoP proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
    /// True if every token must be bound to a key by DPoP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens_required: Option<bool>,
}

/// A URL where a server's metadata may be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceMetadataUrl {
    url: String,
    server: String,
    /// The identifier that the well-known URL was derived from; `None` if it is not a well-known
    /// URL.
    resource: Option<String>,
}

/// Returns the URLs where the metadata of the server at `url` may be found, in the order of the
/// specification: with the server's path, then at the root.
///
/// If the server advertises a URL in its challenge, use [`ResourceMetadataUrl::announced`] instead.
///
/// ```
/// let urls = mcp_auth::metadata::resource_metadata_urls("https://example.com/public/mcp")?;
/// let urls: Vec<_> = urls.iter().map(|it| it.url()).collect();
/// assert_eq!(
///     urls,
///     [
///         "https://example.com/.well-known/oauth-protected-resource/public/mcp",
///         "https://example.com/.well-known/oauth-protected-resource",
///     ]
/// );
/// # Ok::<(), mcp_auth::metadata::MetadataError>(())
/// ```
///
/// # Errors
///
/// [`MetadataError::Url`].
pub fn resource_metadata_urls(url: &str) -> Result<Vec<ResourceMetadataUrl>, MetadataError> {
    let server = ServerUrl::parse(url)?;
    let identifier = server.identifier();
    let of = |path: &str, resource: String| ResourceMetadataUrl {
        url: server.with_well_known(NAME, path),
        server: url.to_owned(),
        resource: Some(resource),
    };
    let origin = server.origin();
    let mut urls = Vec::new();
    if identifier != origin {
        let path = if server.path == "/" { "" } else { server.path };
        urls.push(of(&format!("{path}{}", server.query_part()), identifier));
    }
    urls.push(of("", origin));
    Ok(urls)
}

impl ResourceMetadataUrl {
    /// The URL that the server at `server` advertised in its challenge.
    ///
    /// # Errors
    ///
    /// [`MetadataError::Url`] if either URL is invalid.
    pub fn announced(announced: &str, server: &str) -> Result<Self, MetadataError> {
        ServerUrl::parse(server)?;
        let url = ServerUrl::parse(announced)?;
        let path = url
            .path
            .strip_prefix("/.well-known/")
            .and_then(|path| path.strip_prefix(NAME));
        let path = path.filter(|path| path.is_empty() || path.starts_with('/'));
        Ok(Self {
            resource: path.map(|path| format!("{}{path}{}", url.origin(), url.query_part())),
            url: announced.to_owned(),
            server: server.to_owned(),
        })
    }

    /// The URL to fetch.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Checks that a document fetched from this URL describes the server (RFC 9728 §3.3).
    ///
    /// The document's `resource` must be the server's URL. It may also be the identifier that this
    /// well-known URL was derived from, if that identifier is a parent of the server's URL; at the
    /// root, this is the origin. This prevents a server from obtaining tokens for a different
    /// server. The comparison ignores the case of scheme and host, a default port and a lone `/`.
    ///
    /// # Errors
    ///
    /// [`MetadataError::Resource`].
    pub fn check(&self, metadata: &ProtectedResourceMetadata) -> Result<(), MetadataError> {
        let refused = || MetadataError::Resource {
            expected: self.server.clone(),
            found: metadata.resource.clone(),
        };
        let server = ServerUrl::parse(&self.server)?;
        let found = ServerUrl::parse(&metadata.resource).map_err(|_| refused())?;
        if found.identifier() == server.identifier() {
            return Ok(());
        }
        let made_from = self.resource.as_deref().map(ServerUrl::parse).transpose()?;
        let is_made_from = made_from.is_some_and(|it| it.identifier() == found.identifier());
        if is_made_from && found.query.is_none() && found.is_above(&server) {
            return Ok(());
        }
        Err(refused())
    }
}

impl ProtectedResourceMetadata {
    /// Creates the metadata that a server publishes, for a resource whose tokens come from
    /// `issuers`. `bearer_methods_supported` is `header`.
    pub fn new(
        resource: impl Into<String>,
        issuers: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            resource: resource.into(),
            authorization_servers: issuers.into_iter().map(Into::into).collect(),
            bearer_methods_supported: Some(vec!["header".to_owned()]),
            ..Self::default()
        }
    }

    /// Parses a document. Use [`ResourceMetadataUrl::check`] before relying on it.
    ///
    /// # Errors
    ///
    /// [`MetadataError::Document`].
    pub fn parse(json: &[u8]) -> Result<Self, MetadataError> {
        serde_json::from_slice(json).map_err(|error| MetadataError::Document(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "https://example.com/public/mcp";

    fn urls(server: &str) -> Vec<String> {
        let urls = resource_metadata_urls(server).unwrap();
        urls.into_iter().map(|it| it.url).collect()
    }

    fn accepts(url: &ResourceMetadataUrl, resource: &str) -> bool {
        url.check(&ProtectedResourceMetadata::new(resource, ["https://as"]))
            .is_ok()
    }

    #[test]
    fn the_path_stands_before_the_root() {
        let well_known = "https://example.com/.well-known/oauth-protected-resource";
        assert_eq!(
            urls(SERVER),
            [format!("{well_known}/public/mcp"), well_known.to_owned()]
        );
        assert_eq!(
            urls("https://example.com/mcp/?a=b"),
            [format!("{well_known}/mcp/?a=b"), well_known.to_owned()]
        );
        for root in [
            "https://example.com",
            "https://example.com/",
            "HTTPS://Example.com:443",
        ] {
            assert_eq!(urls(root), [well_known], "{root}");
        }
    }

    #[test]
    fn metadata_is_about_the_server_or_what_its_url_is_made_from() {
        let urls = resource_metadata_urls(SERVER).unwrap();
        for url in &urls {
            assert!(accepts(url, SERVER));
            assert!(accepts(url, "HTTPS://EXAMPLE.com:443/public/mcp"));
            for other in [
                "https://example.com/public",
                "https://example.com/public/mcp/",
                "https://example.com/public/mcp?a",
                "https://example.com/PUBLIC/mcp",
                "https://example.com/other",
                "https://evil.example.com/public/mcp",
                "https://example.com.evil.example/public/mcp",
                "http://example.com/public/mcp",
                "https://example.com:8443/public/mcp",
                "https://user@example.com/public/mcp",
                "example.com/public/mcp",
                "",
            ] {
                assert!(!accepts(url, other), "{other} from {}", url.url());
            }
        }
        let origins = ["https://example.com", "https://example.com/"];
        assert!(origins.iter().all(|origin| !accepts(&urls[0], origin)));
        assert!(origins.iter().all(|origin| accepts(&urls[1], origin)));
    }

    #[test]
    fn an_announced_url_may_be_anywhere() {
        let url = "https://example.com/custom/metadata.json";
        let url = ResourceMetadataUrl::announced(url, SERVER).unwrap();
        assert!(accepts(&url, SERVER));
        assert!(!accepts(&url, "https://example.com"));
        let url = "https://example.com/.well-known/oauth-protected-resource";
        let root = ResourceMetadataUrl::announced(url, SERVER).unwrap();
        assert!(accepts(&root, "https://example.com"));
        let above = ResourceMetadataUrl::announced(&format!("{url}/public"), SERVER).unwrap();
        assert!(accepts(&above, "https://example.com/public"));
        assert!(!accepts(&above, "https://example.com"));
        let other = ResourceMetadataUrl::announced(&format!("{url}s"), SERVER).unwrap();
        assert!(!accepts(&other, "https://example.coms"));
    }

    #[test]
    fn a_server_gets_no_token_for_another_one() {
        for (origin, path) in [
            ("https://good.example", ""),
            ("https://example.com", "/good"),
        ] {
            let url = format!("{origin}/.well-known/oauth-protected-resource{path}");
            let url = ResourceMetadataUrl::announced(&url, SERVER).unwrap();
            assert!(!accepts(&url, &format!("{origin}{path}")), "{}", url.url());
        }
    }

    #[test]
    fn documents_are_read_and_written() {
        let json = br#"{"resource":"https://a","authorization_servers":["https://b"],
            "scopes_supported":["c"],"jwks_uri":"https://d","dpop_bound_access_tokens_required":true}"#;
        let metadata = ProtectedResourceMetadata::parse(json).unwrap();
        assert_eq!(metadata.authorization_servers, ["https://b"]);
        assert_eq!(metadata.scopes_supported, Some(vec!["c".to_owned()]));
        assert_eq!(metadata.dpop_bound_access_tokens_required, Some(true));
        let written = serde_json::to_vec(&metadata).unwrap();
        assert_eq!(ProtectedResourceMetadata::parse(&written), Ok(metadata));
        for json in [
            "{}",
            "[]",
            r#"{"resource":1}"#,
            r#"{"resource":"a","scopes_supported":"b"}"#,
        ] {
            assert!(
                ProtectedResourceMetadata::parse(json.as_bytes()).is_err(),
                "{json}"
            );
        }
    }
}
