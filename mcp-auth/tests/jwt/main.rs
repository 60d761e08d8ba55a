//! Verification of signatures and access tokens, with values of the RFCs and with an issuer.

#![allow(clippy::unwrap_used)]

mod access_token;
mod issuer;
mod signature;
mod vectors;
mod wycheproof;
