//! An authorization server for MCP clients, in front of a provider that does not register clients.
//!
//! [`OAuthProxy`] is an [`AccessPolicy`](mcp_runtime::transport::http::AccessPolicy) of
//! `mcp-runtime`. For MCP clients it is an OAuth 2.1 authorization server with dynamic registration
//! (RFC 7591) and client metadata documents. For the provider it is a single client.

mod authorize;
mod client;
mod documents;
mod endpoints;
mod http_message;
mod keys;
mod logins;
mod oauth_proxy;
mod provider;
mod token;
mod upstream;

pub use keys::ProxyKeys;
pub use oauth_proxy::OAuthProxy;
pub use provider::Provider;
