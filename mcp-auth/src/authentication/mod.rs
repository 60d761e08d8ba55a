//! Authentication of a client to an authorization server: a person's client at the token endpoint, a
//! server where it has tokens introspected.

mod assertion;
mod client_authentication;

pub use assertion::AssertionKey;
#[cfg(feature = "client")]
pub(crate) use client_authentication::ClientAuthentication;
pub use client_authentication::ClientCredential;
pub(crate) use client_authentication::ClientCredentials;
#[cfg(feature = "server")]
pub(crate) use client_authentication::basic;
