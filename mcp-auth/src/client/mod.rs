//! Client: logs in where a server asks for it, and keeps the tokens.

pub mod assertion;
pub mod authorization;
pub mod browser;
pub mod dpop;
pub mod loopback;
pub mod pkce;
pub mod redirect;
pub mod store;
