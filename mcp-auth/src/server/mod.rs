//! A server as a protected resource (OAuth 2.1 §5): it accepts access tokens of its issuers.
//!
//! [`ResourceServer`] is an [`AccessPolicy`](mcp_runtime::transport::http::AccessPolicy) of
//! `mcp-runtime`, and a [layer](ResourceServer::layer) for other HTTP services. Tokens are verified
//! by the issuer's keys, by introspection at the issuer, or by a [`TokenVerifier`].

mod access_token;
mod admission;
mod bearer;
mod claims;
mod credentials;
pub(crate) mod discovery;
mod dpop;
mod error;
mod github;
mod htu;
mod introspection;
mod issuer;
mod issuer_verifier;
mod key_state;
pub(crate) mod keys;
mod layer;
mod lookups;
mod nonce;
mod presets;
mod provider_http;
mod refusal;
mod refusal_log;
mod replay;
mod resource_server;
mod scopes;
mod single_flight;
mod static_verifier;
pub(crate) mod token_cache;
mod token_info;
mod token_issuer;
mod verification;
pub(crate) mod verifier;

pub use bearer::{BearerToken, BearerTokenError, BearerTokens};
pub use error::ResourceServerError;
#[cfg(feature = "proxy")]
pub(crate) use error::{check_client, require};
pub use github::GitHubTokens;
pub use issuer::Issuer;
pub use issuer_verifier::IssuerVerifier;
pub use layer::{ResourceServerLayer, ResourceServerService};
pub use resource_server::ResourceServer;
pub use static_verifier::StaticVerifier;
pub use token_info::TokenInfo;
pub use verifier::{TokenVerifier, VerifyError};
