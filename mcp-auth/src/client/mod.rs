//! Client: logs in where a server asks for it, and keeps the tokens.

pub mod assertion;
mod authenticator;
pub mod authorization;
pub mod browser;
pub(crate) mod client_authentication;
mod config;
pub(crate) mod credential_http;
mod discovery;
pub mod dpop;
pub mod error;
mod exchange;
mod grant;
pub mod identity_provider;
mod login;
pub mod loopback;
mod oauth;
mod oauth_grants;
mod person_keys;
pub mod pkce;
pub mod redirect;
mod registration;
mod renewal;
mod scopes;
mod session;
pub mod store;
pub(crate) mod token_request;
pub(crate) mod token_response;
mod token_set;
mod token_source;
mod unattended;
pub(crate) mod unix_time;

pub use oauth::OAuth;
pub use renewal::Revocation;
