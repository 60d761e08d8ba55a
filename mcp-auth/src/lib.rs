//! [OAuth 2.1] for servers and clients of the Model Context Protocol, on either side of its
//! [authorization].
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`challenge`] | | the header `WWW-Authenticate`: parsed by clients, written by servers |
//! | [`metadata`] | | metadata of protected resources and authorization servers, and where to find it |
//! | [`jwt`] | | verification of JWT access tokens (`server`); a key that signs |
//! | `authentication` | `client`, `server` | the key by which a client authenticates itself |
//! | `client` | `client` | the login of a client, and its tokens |
//! | `server` | `server` | a server that accepts access tokens |
//! | `proxy` | `proxy` | an authorization server in front of a provider that registers no clients |
//!
//! [OAuth 2.1]: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13
//! [authorization]: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
// Compiles the programs of these documents.
#![cfg_attr(
    all(doctest, feature = "proxy"),
    doc = include_str!("../../README.md"),
    doc = include_str!("../../docs/authorization.md")
)]

#[cfg(any(feature = "client", feature = "server"))]
pub mod authentication;
pub mod challenge;
#[cfg(feature = "client")]
pub mod client;
pub mod jwt;
mod limits;
pub mod metadata;
#[cfg(feature = "proxy")]
pub mod proxy;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod util;

#[cfg(feature = "client")]
pub use client::{OAuth, error::AuthError, loopback::Loopback};
#[cfg(feature = "server")]
pub use jwt::Claims;
#[cfg(feature = "proxy")]
pub use proxy::OAuthProxy;
#[cfg(feature = "server")]
pub use server::{BearerToken, BearerTokens, Issuer, ResourceServer};
#[cfg(any(feature = "client", feature = "server"))]
pub use util::RandomError;
