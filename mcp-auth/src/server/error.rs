//! Errors of the configuration.

use std::fmt::Display;

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
    /// A root certificate is none, or in another form than DER.
    #[error("the certificates for requests to issuers can't be used: {0}")]
    Certificate(String),
}

/// Logs a mistake in the configuration of a policy.
pub(crate) fn log_mistake(error: &impl Display) {
    mcp_runtime::log::error!(%error, "the server's authorization is misconfigured");
}

/// The answer to all requests until a mistake is mended, which is logged.
pub(crate) fn misconfigured(error: &impl Display) -> AccessDenied {
    log_mistake(error);
    let text = "the server's authorization is misconfigured: its log has the reason";
    AccessDenied::new(StatusCode::INTERNAL_SERVER_ERROR).message(text)
}
