//! Authentication of clients to an authorization server.
//!
//! An OAuth client authenticates at the token endpoint, and an MCP server authenticates at the
//! introspection endpoint.

mod assertion;
mod client_authentication;

pub use assertion::AssertionKey;
#[cfg(feature = "client")]
pub(crate) use client_authentication::ClientAuthentication;
pub use client_authentication::ClientCredential;
pub(crate) use client_authentication::ClientCredentials;
#[cfg(feature = "server")]
pub(crate) use client_authentication::basic;
