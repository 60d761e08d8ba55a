//! Sessions of the handshake era (2025-11-25, "Transports", section "Session Management").
//!
//! An [`HttpSession`] is the state of one client across all its connections, and [`Sessions`] is
//! the table of open sessions.

mod http_session;
mod lookup;
mod messages;
mod store;
mod table;

pub(crate) use http_session::HttpSession;
pub(super) use lookup::unavailable;
pub(super) use messages::Delivery;
pub use store::{MemorySessionStore, SessionId, SessionRecord, SessionStore};
pub(super) use store::{available, first_request_id};
pub(super) use table::Sessions;
