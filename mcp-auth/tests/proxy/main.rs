//! Tests of the proxy, an authorization server in front of a provider that does not register
//! clients.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod attacks;
mod browser;
mod configuration;
mod consent;
mod documents;
mod faults;
#[path = "../client/faulty_store.rs"]
mod faulty_store;
mod login;
mod provider;
mod registration;
mod site;
mod store;
mod tokens;
