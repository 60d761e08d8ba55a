//! Building blocks of [OAuth 2.1] for servers and clients of the Model Context Protocol, on either
//! side of its [authorization]. Nothing here does I/O, reads a clock or knows `mcp-runtime`: no
//! server asks for a token and no client logs in by this crate alone.
//!
//! | module | feature | contents |
//! |---|---|---|
//! | [`challenge`] | | the header `WWW-Authenticate`: parsed by clients, written by servers |
//! | [`metadata`] | | metadata of protected resources and authorization servers, and where to find it |
//! | `authorization` | `client` | the authorization request, and the validation of its response |
//! | `pkce` | `client` | code verifiers and their challenges |
//! | [`jwt`] | `server` | verification of JWT access tokens: keys, signatures, claims |
//! | [`jwt`] | `client` | a key that signs assertions and proofs of possession |
//!
//! [OAuth 2.1]: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13
//! [authorization]: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization

#[cfg(feature = "client")]
pub mod authorization;
pub mod challenge;
pub mod jwt;
pub mod metadata;
#[cfg(feature = "client")]
pub mod pkce;
