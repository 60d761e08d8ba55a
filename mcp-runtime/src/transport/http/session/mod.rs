//! Sessions of the handshake era (2025-11-25, "Transports", section "Session Management").
//!
//! An [`HttpSession`] is the state of one client across all its connections, and [`Sessions`] is
//! the table of open sessions.

mod http_session;
mod id;
mod lookup;
mod messages;
mod record;
mod replicas;
mod table;

pub(crate) use http_session::HttpSession;
pub use id::SessionId;
pub(super) use id::first_request_id;
pub(super) use messages::Delivery;
pub(super) use replicas::{Foreign, Replicas};
pub(super) use table::Sessions;
