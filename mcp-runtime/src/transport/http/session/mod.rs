//! Sessions of the handshake era (2025-11-25, "Transports", section "HttpSession Management").
//!
//! A [`HttpSession`] is what belongs to one client, whatever connections it uses; [`Sessions`] is the
//! table of those that are open.

mod batch;
mod calls;
mod core;
mod id;
mod outlet;
mod pending;
mod sink;
mod store;
mod table;

pub(super) use self::core::HttpSession;
pub(super) use batch::Batch;
pub(super) use calls::refused;
pub use id::SessionId;
pub(super) use id::first_request_id;
pub(super) use sink::Sink;
pub use store::{MemorySessions, SessionRecord, SessionStore, SessionStoreError};
pub(super) use table::Sessions;
