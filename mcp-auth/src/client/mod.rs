//! The OAuth client, which logs in when a server requires it and keeps the tokens.

mod authenticator;
pub(crate) mod authorization;
pub mod browser;
mod config;
mod discovery;
mod dpop;
pub mod error;
pub(crate) mod exchange;
mod grant;
pub(crate) mod issuer_settings;
mod login;
pub mod loopback;
mod oauth;
mod presets;
pub mod redirect;
mod registration;
mod renewal;
mod scopes;
mod session;
mod shared_login;
mod status;
pub mod store;
mod token_grant;
pub(crate) mod token_request;
pub(crate) mod token_response;
mod token_set;

pub use grant::IdentityProvider;
pub use oauth::OAuth;
pub use registration::RegistrationWay;
pub use renewal::Revocation;
pub use shared_login::LoginWatch;
pub use status::{LoginStatus, StoredToken};
