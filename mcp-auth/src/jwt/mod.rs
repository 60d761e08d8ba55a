//! JWT access tokens: JSON Web Signatures in the compact form (RFC 7515), public keys (RFC 7517), and
//! the claims of an access token (RFC 9068), verified as RFC 8725 advises. The signatures are *ring*'s.
//!
//! Tokens, and what stands in tokens, are in no error.

mod access_token;
mod algorithm;
mod claims;
mod error;
mod jwk;
mod jws;
mod members;

pub use access_token::AccessTokenRules;
pub use algorithm::Algorithm;
pub use claims::Claims;
pub use error::{JwkError, TokenError};
pub use jwk::{Jwk, JwkSet};
pub use jws::{Header, Jws};
