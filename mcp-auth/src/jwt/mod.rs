//! JSON Web Tokens in the compact signed form (RFC 7515), with the signature algorithms of *ring*.
//!
//! With the feature `server`, access tokens (RFC 9068) are verified with public keys (RFC 7517) as
//! RFC 8725 recommends. Errors never contain a token or a part of it. With the feature `client` or
//! `server`, a `SigningKey` signs assertions and proofs of possession.

#[cfg(feature = "server")]
mod access_token;
mod algorithm;
#[cfg(feature = "server")]
mod claims;
#[cfg(feature = "server")]
mod error;
#[cfg(feature = "server")]
mod jwk;
#[cfg(feature = "server")]
mod jws;
#[cfg(feature = "server")]
pub(crate) mod members;
#[cfg(any(feature = "client", feature = "server"))]
mod signing_key;

#[cfg(feature = "server")]
pub use access_token::{AccessTokenRules, Tenants};
#[cfg(feature = "server")]
pub(crate) use access_token::{unverified_claim, unverified_issuer};
pub use algorithm::Algorithm;
#[cfg(feature = "server")]
pub use claims::Claims;
#[cfg(feature = "server")]
pub use error::{JwkError, TokenError};
#[cfg(feature = "server")]
pub use jwk::{Jwk, JwkSet};
#[cfg(feature = "server")]
pub use jws::{Header, Jws};
#[cfg(any(feature = "client", feature = "server"))]
pub use signing_key::{SigningKey, SigningKeyError};
