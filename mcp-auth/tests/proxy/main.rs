//! The proxy: an authorization server in front of a provider that registers nobody.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod attacks;
mod browser;
mod consent;
mod documents;
mod login;
mod provider;
mod registration;
mod site;
mod store;
mod tokens;
