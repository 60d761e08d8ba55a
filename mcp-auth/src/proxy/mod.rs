//! An authorization server for MCP clients in front of a provider that registers none of them.
//!
//! [`OAuthProxy`] is an [`AccessPolicy`](mcp_runtime::transport::http::AccessPolicy) of `mcp-runtime`.
//! Towards MCP clients it is an authorization server (OAuth 2.1) with dynamic registration (RFC 7591) and
//! client metadata documents; towards the provider it is one client.

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
