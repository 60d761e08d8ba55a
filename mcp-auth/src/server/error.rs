//! Configuration errors.

use http::StatusCode;
use mcp_runtime::transport::http::AccessDenied;

use crate::authentication::ClientCredential;

/// A mistake in the configuration of a [`ResourceServer`](super::ResourceServer).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceServerError {
    /// The identifier of the resource is not an `http` or `https` URL, or has a user or a fragment.
    #[error(
        "the resource `{0}` is not the URL of a server: give `ResourceServer::new` the URL of the \
         MCP endpoint, such as `https://mcp.example.com/mcp`"
    )]
    Resource(String),
    /// The issuer is not an `https` URL (or `http` on the loopback interface), or it has a query, a
    /// user, a fragment or an empty path segment. A tenant or a domain may be missing or may itself
    /// be a URL.
    #[error(
        "the issuer `{0}` is not the URL of an authorization server: it needs `https`, or `http` \
         on the loopback interface, and a path without `//`"
    )]
    Issuer(String),
    /// The template of an issuer does not have exactly one path segment in braces.
    #[error(
        "`{0}` is not the template of an issuer: one segment of its path must be a name in braces, as in \
         `https://login.example.com/{{tenant}}/v2.0`"
    )]
    Template(String),
    /// The URL of an issuer's keys or introspection endpoint is not an `http` or `https` URL.
    #[error("`{0}` is not a URL: it needs `https` and a host")]
    Url(String),
    /// Introspection has settings but no client that performs it.
    #[error(
        "the introspection of tokens of `{0}` needs a client: set it with `Issuer::introspection`"
    )]
    NoIntrospectionClient(String),
    /// There is neither an issuer nor a verifier.
    #[error("no tokens can be verified: add an `issuer` or a `verifier`")]
    NoIssuer,
    /// A scope is empty or contains spaces, quotes, backslashes or non-ASCII characters.
    #[error("`{0}` is not a scope: it must be one word of printable ASCII")]
    Scope(String),
    /// A setting has a value that can never work. The message names both and says what to write
    /// instead. It never contains a secret.
    #[error("{0}")]
    Setting(String),
    /// A root certificate is invalid or not in DER.
    #[error("the certificates for requests to issuers can't be used: {0}")]
    Certificate(String),
}

impl ResourceServerError {
    /// The response to a request if the mistake was not found at the start, because the server was
    /// never started.
    pub(crate) fn denied(&self) -> AccessDenied {
        mcp_runtime::log::error!(error = %self, "the server's authorization is misconfigured");
        let text = "the server's authorization is misconfigured: its log has the reason";
        AccessDenied::new(StatusCode::INTERNAL_SERVER_ERROR).message(text)
    }
}

pub(crate) fn require(
    is_right: bool,
    setting: &str,
    value: &str,
    advice: &str,
) -> Result<(), ResourceServerError> {
    let error = || ResourceServerError::Setting(format!("{setting} can't be `{value}`: {advice}"));
    is_right.then_some(()).ok_or_else(error)
}

/// Checks the identifier and the secret of a client. A value from a file may end with a line break.
pub(crate) fn check_client(
    setting: &str,
    id: &str,
    credential: &ClientCredential,
) -> Result<(), ResourceServerError> {
    let secret = match credential {
        ClientCredential::Secret(secret) => secret,
        _ => "none",
    };
    let is_right = |it: &str| !it.is_empty() && it.trim() == it;
    let advice = "its identifier or secret is empty, or has spaces or line breaks around it";
    require(is_right(id) && is_right(secret), setting, id, advice)
}
