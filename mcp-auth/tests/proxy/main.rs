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
#[path = "../../../mcp-runtime/tests/support/log.rs"]
mod log;
mod login;
mod provider;
mod registration;
mod replicas;
mod site;
mod store;
mod tokens;
#[path = "../server/watched_store.rs"]
mod watched_store;
