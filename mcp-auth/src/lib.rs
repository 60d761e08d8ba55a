//! [OAuth 2.1] for clients and servers of the Model Context Protocol, as its [authorization]
//! section requires.
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`challenge`] | | the `WWW-Authenticate` header, which servers write and clients parse |
//! | [`metadata`] | | metadata of protected resources and authorization servers, and the URLs where it is found |
//! | [`jwt`] | | verification of JWT access tokens (`server`), and signing keys |
//! | `authentication` | `client`, `server` | credentials with which a client authenticates to an authorization server |
//! | `client` | `client` | logging a client in, and keeping its tokens |
//! | `server` | `server` | a server that accepts access tokens |
//! | `proxy` | `proxy` | an authorization server in front of a provider that does not register clients |
//!
//! [OAuth 2.1]: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13
//! [authorization]: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
// Compiles the programs in these documents as doc tests.
#![cfg_attr(
    all(doctest, feature = "proxy"),
    doc = include_str!("../../README.md"),
    doc = include_str!("../../docs/authorization.md"),
    doc = include_str!("../../docs/security.md")
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
