//! Subscriptions to changes of a server: the changes, the sessions that collect them, and
//! `subscriptions/listen` requests.

mod changes;
mod listen_request;
mod session;

pub(in crate::server) use changes::Changes;
pub(in crate::server) use listen_request::ListenRequest;
pub(in crate::server) use session::Severity;
pub(crate) use session::{Session, SessionEdit, StoredSession};
