//! Client: logs in where a server asks for it, and keeps the tokens.

pub mod authorization;
pub mod pkce;
