//! A server as a protected resource (OAuth 2.1 §5), which accepts access tokens of its issuers.
//!
//! [`ResourceServer`] is an [`AccessPolicy`](mcp_runtime::transport::http::AccessPolicy) of
//! `mcp-runtime`, and a [layer](ResourceServer::layer) for other HTTP services. Tokens are verified
//! with the issuer's keys, by introspection at the issuer, or by a [`TokenVerifier`].

mod admission;
mod bearer;
mod credentials;
pub(crate) mod discovery;
mod dpop;
mod error;
mod introspection;
mod issuer;
pub(crate) mod keys;
mod layer;
mod lookups;
mod nonces;
mod presets;
mod provider_tokens;
mod refusal;
mod refusal_log;
mod replay;
mod resource_server;
mod scopes;
pub(crate) mod token_cache;
mod token_issuer;
mod verification;
pub(crate) mod verifier;

pub use bearer::{BearerToken, BearerTokenError, BearerTokens};
pub use error::ResourceServerError;
#[cfg(feature = "proxy")]
pub(crate) use error::{check_client, require};
pub use issuer::Issuer;
pub use layer::{ResourceServerLayer, ResourceServerService};
pub use provider_tokens::{GitHubTokens, TokenInfo};
pub use resource_server::ResourceServer;
pub use token_issuer::IssuerVerifier;
pub use verifier::{StaticVerifier, TokenVerifier, VerifyError};
