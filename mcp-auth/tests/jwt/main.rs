//! Verification of signatures and access tokens, with examples of the RFCs and a test issuer.

#![allow(clippy::unwrap_used)]

mod access_token;
mod issuer;
mod signature;
mod vectors;
mod wycheproof;
