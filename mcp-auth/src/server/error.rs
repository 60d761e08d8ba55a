//! Errors of the configuration.

use http::StatusCode;
use mcp_runtime::transport::http::AccessDenied;

use crate::authentication::ClientCredential;

/// A mistake in the configuration of a [`ResourceServer`](super::ResourceServer).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceServerError {
    /// The identifier of the resource is no `http` or `https` URL, or has a user or a fragment.
    #[error(
        "the resource `{0}` is not the URL of a server: give `ResourceServer::new` the URL of the \
         MCP endpoint, such as `https://mcp.example.com/mcp`"
    )]
    Resource(String),
    /// The issuer is no `https` URL (or `http` on the loopback interface), or has a query, a user, a
    /// fragment, or an empty segment in its path: a tenant or a domain may be missing or a URL.
    #[error(
        "the issuer `{0}` is not the URL of an authorization server: it needs `https`, or `http` \
         on the loopback interface, and a path without `//`"
    )]
    Issuer(String),
    /// The template of an issuer has not one segment in braces.
    #[error(
        "`{0}` is not the template of an issuer: one segment of its path must be a name in braces, as in \
         `https://login.example.com/{{tenant}}/v2.0`"
    )]
    Template(String),
    /// A URL of an issuer's keys or introspection is no `http` or `https` URL.
    #[error("`{0}` is not a URL: it needs `https` and a host")]
    Url(String),
    /// There are settings of an introspection, and not the client that asks.
    #[error("who introspects the tokens of `{0}` is missing: give it by `Issuer::introspection`")]
    NoIntrospectionClient(String),
    /// There are neither issuers nor a verifier.
    #[error("no tokens can be verified: add an `issuer` or a `verifier`")]
    NoIssuer,
    /// A scope is empty, or has spaces, quotes, backslashes or other characters than ASCII's.
    #[error("`{0}` is not a scope: it must be one word of printable ASCII")]
    Scope(String),
    /// A setting has a value that can never work. The text names both, and says what to write instead; a
    /// secret is not in it.
    #[error("{0}")]
    Setting(String),
    /// A root certificate is none, or in another form than DER.
    #[error("the certificates for requests to issuers can't be used: {0}")]
    Certificate(String),
}

impl ResourceServerError {
    /// The answer to a request, if the server was not started, which would have found the mistake.
    pub(crate) fn denied(&self) -> AccessDenied {
        mcp_runtime::log::error!(error = %self, "the server's authorization is misconfigured");
        let text = "the server's authorization is misconfigured: its log has the reason";
        AccessDenied::new(StatusCode::INTERNAL_SERVER_ERROR).message(text)
    }
}

/// Checks a setting.
pub(crate) fn require(
    is_right: bool,
    setting: &str,
    value: &str,
    advice: &str,
) -> Result<(), ResourceServerError> {
    let error = || ResourceServerError::Setting(format!("{setting} can't be `{value}`: {advice}"));
    is_right.then_some(()).ok_or_else(error)
}

/// Checks the identifier and the secret of a client. What comes from a file may have a line break at its
/// end.
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
