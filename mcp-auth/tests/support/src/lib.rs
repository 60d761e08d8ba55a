//! An OAuth authorization server for tests. It runs in the test's process on a loopback port, with
//! the faults that the test causes.
//!
//! It shares no code with `mcp-auth`, so it does not repeat the mistakes of that crate.
//!
//! ```no_run
//! use support::{AuthorizationServer, Endpoint, browser};
//! # async fn example() {
//! let server = AuthorizationServer::with(|settings| settings.scopes = vec!["files:read".into()]).await;
//! let page = browser::visit(&format!("{}?response_type=code", server.url(Endpoint::Authorize))).await;
//! assert_eq!(page.status, 400);
//! assert_eq!(server.count(Endpoint::Authorize), 1);
//! # }
//! ```

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod authorize;
pub mod browser;
mod client;
mod dpop;
mod fault;
mod key;
mod metadata;
mod record;
mod registration;
mod reply;
mod server;
mod settings;
mod state;
mod token;
mod tokens;

pub use client::Client;
pub use fault::{Fault, Hold};
pub use key::{decode, encode, hmac_token, unsigned_token};
pub use record::{Endpoint, Recorded};
pub use server::AuthorizationServer;
pub use settings::{Algorithm, Decision, Dpop, Iss, Metadata, Settings, TokenFormat};
