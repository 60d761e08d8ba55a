//! Errors of the configuration.

use http::StatusCode;
use mcp_runtime::transport::http::AccessDenied;

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
    /// The issuer is no `https` URL (or `http` on the loopback interface), or has a query, a user or a
    /// fragment.
    #[error(
        "the issuer `{0}` is not the URL of an authorization server: it needs `https`, or `http` \
         on the loopback interface"
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

/// Checks the identifier and the secret of a client (RFC 6749 appendix A.1, A.2). What comes from a file
/// may have a line break at its end.
pub(crate) fn check_client(
    setting: &str,
    id: &str,
    secret: Option<&str>,
) -> Result<(), ResourceServerError> {
    let is_right = |it: &str| !it.is_empty() && it.trim() == it && !it.contains(char::is_control);
    let advice = "give the identifier that the client has there, without spaces around it";
    require(is_right(id), setting, id, advice)?;
    let advice = "the secret is empty, or has spaces or line breaks around it";
    require(secret.is_none_or(is_right), setting, "…", advice)
}
