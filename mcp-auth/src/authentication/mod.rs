//! Authentication of a client to an authorization server: a person's client at the token endpoint, a
//! server where it has tokens introspected.

mod assertion;
mod basic;
mod client_authentication;
#[cfg(feature = "server")]
mod credential;

pub use assertion::AssertionKey;
#[cfg(feature = "server")]
pub(crate) use basic::basic;
pub(crate) use client_authentication::{ClientAuthentication, ClientCredentials};
#[cfg(feature = "server")]
pub use credential::ClientCredential;
