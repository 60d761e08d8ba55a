//! Errors of a client's authorization.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use http::StatusCode;

pub use super::authorization::{RequestError, ResponseError};

use crate::jwt::SigningKeyError;
use crate::metadata::MetadataError;

/// The error of one step of a client's authorization: the step, its URL and the cause, with advice.
///
/// The message is one line and contains no secrets. This type is the cause of
/// [`CallError::Authentication`](mcp_runtime::CallError::Authentication):
///
/// ```
/// use mcp_auth::client::error::{AuthError, AuthStep};
/// use mcp_runtime::CallError;
///
/// fn is_registration_missing(error: &CallError) -> bool {
///     let CallError::Authentication { error, .. } = error else {
///         return false;
///     };
///     let error = error.downcast_ref::<AuthError>();
///     error.is_some_and(|error| error.step() == AuthStep::Registration)
/// }
/// # assert!(!is_registration_missing(&CallError::Full));
/// ```
#[derive(Clone, Debug)]
pub struct AuthError {
    step: AuthStep,
    url: Option<String>,
    retry_after: Option<Duration>,
    cause: Arc<AuthErrorKind>,
}

/// A step of a client's authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthStep {
    /// Reading the MCP server's metadata (RFC 9728).
    ResourceMetadata,
    /// Reading the authorization server's metadata (RFC 8414).
    IssuerMetadata,
    /// Registering the client (RFC 7591), or choosing how to register it.
    Registration,
    /// Waiting for the person to log in with the browser (RFC 6749 §4.1.1).
    Login,
    /// Getting a token (RFC 6749 §4.1.3).
    Token,
    /// Exchanging a person's token at their identity provider (RFC 8693).
    TokenExchange,
    /// Refreshing a token (RFC 6749 §6).
    Refresh,
    /// Revoking a token (RFC 7009).
    Revocation,
    /// Loading from the token store, or saving to it.
    Store,
    /// Sending the request to the MCP server with the new token.
    Access,
}

/// The cause of an [`AuthError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthErrorKind {
    /// The URL is neither `https` nor `http` on this machine, or has a user or a fragment.
    #[error(
        "this URL can't be used: it must be `https`, or `http` on this machine, without user and \
         fragment"
    )]
    InsecureUrl,
    /// The MCP server is reached by plain `http` on another machine, where credentials are never
    /// sent.
    #[error(
        "the server's URL is plain `http`, so no token is sent: anybody on the network path could \
         read it; use `https`, or `OAuth::allow_insecure_credentials` in a test network"
    )]
    InsecureServer,
    /// No authorization server was found within this time.
    #[error("no authorization server was found within {0:?}; try again later")]
    DiscoveryTimeout(Duration),
    /// The request failed in transit, or the host's address is forbidden.
    #[error("{0}")]
    Network(#[source] io::Error),
    /// The response has an unexpected status.
    #[error("the response is HTTP {0}; try again later, or ask the operator of the server")]
    Status(StatusCode),
    /// The endpoint redirects although it must answer itself, or a metadata document redirects too
    /// often.
    #[error("it redirects to another URL, which is not followed; ask the operator of the server")]
    Redirect,
    /// There is no metadata at this URL or at the other prescribed URLs.
    #[error("there is no metadata; check the URL, or ask the operator of the server")]
    NoMetadata,
    /// The metadata is invalid or does not belong to the expected server.
    #[error("{0}")]
    Metadata(#[source] MetadataError),
    /// The metadata lacks an endpoint.
    #[error("the authorization server's metadata has no `{0}`; ask its operator")]
    NoEndpoint(&'static str),
    /// The MCP server's metadata names no authorization server.
    #[error("the server's metadata names no authorization server; if you know it, set the issuer")]
    NoIssuer,
    /// Nothing names an authorization server, and the MCP server does not answer at the default
    /// endpoints of revision 2025-03-26 either.
    #[error(
        "the MCP server requires a token but has no authorization server: ask its operator for a \
         token, which is set by `HttpUrl::bearer_auth`"
    )]
    NoAuthorizationServer,
    /// The MCP server does not name the issuer that the user has set.
    #[error(
        "the client is set up for the authorization server `{expected}`, but the MCP server names \
         `{}`: register the client there, and change its identifier and issuer", found.join("`, `")
    )]
    OtherIssuer {
        /// The issuer that the user has set.
        expected: String,
        /// The issuers that the MCP server names.
        found: Vec<String>,
    },
    /// The client has its own credentials, but the user has not set the issuer's URL.
    #[error("the client's credentials are valid at one authorization server only: set its issuer")]
    ClientWithoutIssuer,
    /// A setting of `OAuth` loosens the rules for one issuer, but the user has not set the issuer's
    /// URL.
    #[error(
        "`OAuth::{0}` is for one authorization server only: set its issuer with `OAuth::issuer`"
    )]
    SettingWithoutIssuer(&'static str),
    /// An additional parameter has a name that OAuth uses.
    #[error("the parameter `{0}` can't be set: it belongs to OAuth; leave it out")]
    ReservedParameter(String),
    /// The authorization server offers no way of registration that this client could use.
    #[error(
        "the authorization server does not register clients automatically: register one there \
         manually, and set its identifier and issuer"
    )]
    NoRegistration,
    /// The client has a secret, but the authorization server does not accept secrets.
    #[error(
        "the authorization server accepts `private_key_jwt` instead of a secret: set a key with \
         `OAuth::client_key` instead of the secret, which was not sent"
    )]
    SecretNotTaken,
    /// The URL of the client's metadata is not an `https` URL with a path.
    #[error("the URL of the client's metadata document must be `https` and have a path")]
    ClientMetadataUrl,
    /// The authorization server answered with an error (RFC 6749 §5.2).
    #[error("the authorization server refused: {}", refusal(.code, .description.as_deref()))]
    Refused {
        /// The status of the response.
        status: StatusCode,
        /// `error`, a code such as `invalid_grant`.
        code: String,
        /// `error_description`, an explanation for developers.
        description: Option<String>,
    },
    /// The response does not have the expected form.
    #[error("the response can't be read: {0}; ask the operator of the server")]
    Malformed(String),
    /// The authorization request can't be made.
    #[error(transparent)]
    Request(RequestError),
    /// The authorization response has no code.
    #[error(transparent)]
    Response(ResponseError),
    /// The application can't receive the redirect from the browser.
    #[error("the application can't receive the redirect from the browser: {0}")]
    Redirection(#[source] io::Error),
    /// The browser can't be opened.
    #[error(
        "the browser can't be opened: {0}; set the variable BROWSER to a program that opens URLs"
    )]
    Opener(#[source] io::Error),
    /// The person did not log in within this time.
    #[error("nobody has logged in within {0:?}; try again")]
    Timeout(Duration),
    /// The token store failed.
    #[error("{0}")]
    Store(#[source] io::Error),
    /// The MCP server rejects a token that was issued for this very request.
    #[error(
        "the MCP server does not accept the new token{}; if the authorization server needs a \
         parameter that names the MCP server, see `OAuth::authorization_parameter`; else ask the \
         operator of the server",
        because(.0.as_deref())
    )]
    TokenRefused(Option<String>),
    /// The application has no token to present.
    #[error("the application has no token to present: {0}")]
    TokenSource(#[source] Box<dyn Error + Send + Sync>),
    /// The MCP server requires tokens that are bound to a key (RFC 9449), but the authorization
    /// server does not issue such tokens to this client.
    #[error(
        "the MCP server requires tokens that are bound to a key (DPoP with ES256), but the \
         authorization server does not issue them; ask the operators of the servers"
    )]
    NoBoundTokens,
    /// The client can't sign an assertion or a proof.
    #[error(transparent)]
    SigningKey(SigningKeyError),
    /// The task that did the work panicked.
    #[error("the task ended without a result")]
    Aborted,
}

impl AuthError {
    pub(crate) fn new(step: AuthStep, url: &str, cause: AuthErrorKind) -> Self {
        // The query may contain secrets.
        let end = url.find(['?', '#']).unwrap_or(url.len());
        Self {
            step,
            url: Some(one_line(&url[..end])),
            retry_after: None,
            cause: Arc::new(cause),
        }
    }

    /// Adjusts the error if the endpoints of the authorization server were only assumed. If the
    /// failed endpoint did not answer like an authorization server, the cause becomes
    /// [`NoAuthorizationServer`](AuthErrorKind::NoAuthorizationServer).
    pub(crate) fn of_assumed_issuer(mut self) -> Self {
        let is_missing = match self.kind() {
            AuthErrorKind::Status(status) => {
                status.is_client_error() && *status != StatusCode::TOO_MANY_REQUESTS
            }
            AuthErrorKind::Refused { status, .. } => matches!(status.as_u16(), 401 | 403..=405),
            AuthErrorKind::Malformed(_) | AuthErrorKind::Redirect => true,
            _ => false,
        };
        if is_missing {
            self.cause = Arc::new(AuthErrorKind::NoAuthorizationServer);
        }
        self
    }

    pub(crate) fn store(error: io::Error) -> Self {
        Self {
            step: AuthStep::Store,
            url: None,
            retry_after: None,
            cause: Arc::new(AuthErrorKind::Store(error)),
        }
    }

    pub(crate) fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        Self {
            retry_after,
            ..self
        }
    }

    /// How long the authorization server asks to wait before the next attempt (`Retry-After`).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The step that failed.
    #[must_use]
    pub fn step(&self) -> AuthStep {
        self.step
    }

    /// The URL that the step used, without its query. Errors of the token store have no URL.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The cause of the error.
    #[must_use]
    pub fn kind(&self) -> &AuthErrorKind {
        &self.cause
    }

    /// The `error` of the authorization server's response, such as `invalid_grant`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self.kind() {
            AuthErrorKind::Refused { code, .. }
            | AuthErrorKind::Response(ResponseError::Refused { code, .. }) => Some(code),
            _ => None,
        }
    }
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        if let Some(url) = &self.url {
            write!(f, " at {url}")?;
        }
        write!(f, ": {}", self.cause)?;
        match self.retry_after {
            Some(pause) => write!(f, "; the server asks to try again after {pause:?}"),
            None => Ok(()),
        }
    }
}

impl Error for AuthError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

impl fmt::Display for AuthStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ResourceMetadata => "reading the MCP server's metadata",
            Self::IssuerMetadata => "reading the authorization server's metadata",
            Self::Registration => "registering the client",
            Self::Login => "logging in",
            Self::Token => "getting a token",
            Self::TokenExchange => "exchanging the person's token at the identity provider",
            Self::Refresh => "refreshing the token",
            Self::Revocation => "revoking the token",
            Self::Store => "using the token store",
            Self::Access => "access to the MCP server",
        })
    }
}

/// Formats a refusal on one line, because the operator of the server chose the text. Adds advice if
/// the `resource` parameter (RFC 8707 §2) may be the reason.
pub(crate) fn refusal(code: &str, description: Option<&str>) -> String {
    let names_resource = description.is_some_and(|it| it.contains("resource"));
    let advice = if code == "invalid_target" || code == "invalid_request" && names_resource {
        "; if it does not support the parameter `resource`, set `OAuth::without_resource_parameter`"
    } else {
        ""
    };
    let description = description.map_or(String::new(), |text| format!(": {text}"));
    one_line(&format!("{code}{description}")) + advice
}

fn because(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!(" ({})", one_line(text)))
}

/// Replaces control characters with spaces, and keeps at most 500 characters.
pub(crate) fn one_line(text: &str) -> String {
    let printable = text
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it });
    printable.take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_step_url_cause_and_advice_on_one_line() {
        let cause = AuthErrorKind::Refused {
            status: StatusCode::BAD_REQUEST,
            code: "invalid_grant".to_owned(),
            description: Some("expired\nlong ago".to_owned()),
        };
        let error = AuthError::new(AuthStep::Refresh, "https://as/token?secret=1#a", cause);
        assert_eq!(
            error.to_string(),
            "refreshing the token at https://as/token: the authorization server refused: \
             invalid_grant: expired long ago"
        );
        assert_eq!(error.code(), Some("invalid_grant"));
    }

    #[test]
    fn errors_of_the_store_have_no_url() {
        let error = AuthError::store(io::Error::other("it is full"));
        assert_eq!(error.to_string(), "using the token store: it is full");
        assert!(error.source().is_some() && error.url().is_none());
    }
}
