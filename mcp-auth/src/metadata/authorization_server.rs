//! Metadata of authorization servers.

use serde::{Deserialize, Serialize};

use super::MetadataError;
use super::url::ServerUrl;

/// Metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery 1.0 §3).
///
/// Unknown members are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuthorizationServerMetadata {
    /// The identifier of the issuer, which is a URL.
    pub issuer: String,
    /// The endpoint where people log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_endpoint: Option<String>,
    /// The endpoint for pushed authorization requests (RFC 9126).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed_authorization_request_endpoint: Option<String>,
    /// True if authorization requests must be pushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_pushed_authorization_requests: Option<bool>,
    /// The endpoint that issues tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint: Option<String>,
    /// The endpoint where clients register (RFC 7591).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_endpoint: Option<String>,
    /// The endpoint that revokes tokens (RFC 7009).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<String>,
    /// The endpoint that introspects opaque tokens (RFC 7662).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub introspection_endpoint: Option<String>,
    /// How clients authenticate at the introspection endpoint. Default: as at the token endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub introspection_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// The URL of the keys that verify the issuer's tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// Scopes that clients can request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// Supported grant types. Default: authorization code and implicit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_types_supported: Option<Vec<String>>,
    /// Supported PKCE methods. If the member is missing, PKCE is not supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// How clients authenticate at the token endpoint. Default: `client_secret_basic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Algorithms for client assertions at the token endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    /// Algorithms for DPoP proofs (RFC 9449 §5.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
    /// True if authorization responses contain `iss` (RFC 9207 §3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_response_iss_parameter_supported: Option<bool>,
    /// True if the URL of a client's metadata document can be its identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id_metadata_document_supported: Option<bool>,
}

/// Returns the URLs where an issuer's metadata may be found, in the order of the specification: the
/// URL of RFC 8414, then OpenID Connect's well-known path inserted before the issuer's path and
/// appended to it.
///
/// ```
/// let urls = mcp_auth::metadata::authorization_server_metadata_urls("https://example.com/a")?;
/// assert_eq!(
///     urls,
///     [
///         "https://example.com/.well-known/oauth-authorization-server/a",
///         "https://example.com/.well-known/openid-configuration/a",
///         "https://example.com/a/.well-known/openid-configuration",
///     ]
/// );
/// # Ok::<(), mcp_auth::metadata::MetadataError>(())
/// ```
///
/// # Errors
///
/// [`MetadataError::Url`] if the issuer is not a valid URL or has a query (RFC 8414 §2).
pub fn authorization_server_metadata_urls(issuer: &str) -> Result<Vec<String>, MetadataError> {
    let url = ServerUrl::parse(issuer)?;
    if url.query.is_some() {
        return Err(MetadataError::Url(issuer.to_owned()));
    }
    let path = url.path.strip_suffix('/').unwrap_or(url.path);
    let mut urls = vec![
        url.with_well_known("oauth-authorization-server", path),
        url.with_well_known("openid-configuration", path),
    ];
    if !path.is_empty() {
        urls.push(format!(
            "{}{path}/.well-known/openid-configuration",
            url.origin()
        ));
    }
    Ok(urls)
}

impl AuthorizationServerMetadata {
    /// Parses the document that was fetched for `issuer`. Its member `issuer` must equal `issuer`,
    /// compared character by character (RFC 8414 §3.3).
    ///
    /// # Errors
    ///
    /// [`MetadataError::Document`], [`MetadataError::Issuer`].
    pub fn parse(json: &[u8], issuer: &str) -> Result<Self, MetadataError> {
        Self::parse_if(json, issuer, |found| found == issuer)
    }

    /// Parses the document that was fetched for `issuer`, if `is_accepted` accepts its member
    /// `issuer`.
    pub(crate) fn parse_if(
        json: &[u8],
        issuer: &str,
        is_accepted: impl FnOnce(&str) -> bool,
    ) -> Result<Self, MetadataError> {
        let metadata: Self = serde_json::from_slice(json)
            .map_err(|error| MetadataError::Document(error.to_string()))?;
        if is_accepted(&metadata.issuer) {
            return Ok(metadata);
        }
        Err(MetadataError::Issuer {
            expected: issuer.to_owned(),
            found: metadata.issuer,
        })
    }

    /// Returns the endpoints that revision 2025-03-26 defines for a server without any metadata:
    /// `/authorize`, `/token` and `/register` at its origin, with `S256`.
    ///
    /// # Errors
    ///
    /// [`MetadataError::Url`].
    pub fn without_discovery(server: &str) -> Result<Self, MetadataError> {
        let origin = ServerUrl::parse(server)?.origin();
        let endpoint = |name: &str| Some(format!("{origin}/{name}"));
        Ok(Self {
            authorization_endpoint: endpoint("authorize"),
            token_endpoint: endpoint("token"),
            registration_endpoint: endpoint("register"),
            code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
            issuer: origin,
            ..Self::default()
        })
    }

    /// Returns true if PKCE with `S256` is offered. Otherwise a client must not continue.
    #[must_use]
    pub fn offers_s256(&self) -> bool {
        let methods = self.code_challenge_methods_supported.iter().flatten();
        methods.into_iter().any(|method| method == "S256")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_without_a_path_has_two_urls() {
        for issuer in ["https://auth.example.com", "https://auth.example.com/"] {
            assert_eq!(
                authorization_server_metadata_urls(issuer).unwrap(),
                [
                    "https://auth.example.com/.well-known/oauth-authorization-server",
                    "https://auth.example.com/.well-known/openid-configuration",
                ]
            );
        }
    }

    #[test]
    fn the_last_slash_of_a_path_is_left_out() {
        assert_eq!(
            authorization_server_metadata_urls("https://example.com/a/b/").unwrap(),
            [
                "https://example.com/.well-known/oauth-authorization-server/a/b",
                "https://example.com/.well-known/openid-configuration/a/b",
                "https://example.com/a/b/.well-known/openid-configuration",
            ]
        );
    }

    #[test]
    fn issuers_of_other_forms_have_no_urls() {
        for issuer in ["", "a", "https://a?b", "https://a#b", "file:///a"] {
            let found = authorization_server_metadata_urls(issuer);
            assert_eq!(found, Err(MetadataError::Url(issuer.to_owned())));
        }
    }

    #[test]
    fn metadata_of_another_issuer_is_refused() {
        let parse = |issuer: &str| {
            AuthorizationServerMetadata::parse(br#"{"issuer":"https://honest.example"}"#, issuer)
        };
        assert!(parse("https://honest.example").is_ok());
        for other in [
            "https://attacker.example",
            "https://honest.example/",
            "https://HONEST.example",
        ] {
            let found = parse(other).unwrap_err();
            assert!(matches!(found, MetadataError::Issuer { .. }), "{other}");
        }
    }

    #[test]
    fn pkce_is_offered_only_where_it_is_named() {
        let offers = |members: &str| {
            let json = format!(r#"{{"issuer":"a"{members}}}"#);
            let metadata = AuthorizationServerMetadata::parse(json.as_bytes(), "a");
            metadata.unwrap().offers_s256()
        };
        assert!(offers(
            r#","code_challenge_methods_supported":["plain","S256"]"#
        ));
        assert!(!offers(r#","code_challenge_methods_supported":["plain"]"#));
        assert!(!offers(""));
    }

    #[test]
    fn the_endpoints_of_2025_03_26_are_at_the_origin() {
        let url = "https://mcp.example.com:8443/v1/mcp?a=b";
        let metadata = AuthorizationServerMetadata::without_discovery(url).unwrap();
        let endpoint = |name: &str| Some(format!("https://mcp.example.com:8443/{name}"));
        assert_eq!(metadata.authorization_endpoint, endpoint("authorize"));
        assert_eq!(metadata.token_endpoint, endpoint("token"));
        assert_eq!(metadata.registration_endpoint, endpoint("register"));
        assert!(metadata.offers_s256());
    }
}
