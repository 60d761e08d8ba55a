//! Client: logs in where a server asks for it, and keeps the tokens.

mod authenticator;
pub(crate) mod authorization;
pub mod browser;
mod config;
pub(crate) mod credential_http;
mod discovery;
mod dpop;
pub mod error;
mod exchange;
mod grant;
pub mod identity_provider;
pub(crate) mod issuer_settings;
mod login;
pub mod loopback;
mod oauth;
mod oauth_grants;
mod oauth_issuer;
mod person_keys;
pub(crate) mod pkce;
pub mod redirect;
mod registration;
mod renewal;
mod scopes;
mod session;
pub mod store;
mod token_grant;
pub(crate) mod token_request;
pub(crate) mod token_response;
mod token_set;
mod token_source;
mod unattended;

pub use oauth::OAuth;
pub use renewal::Revocation;
