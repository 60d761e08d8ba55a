//! Subscriptions to changes of a server: the changes, the sessions that collect them, and
//! `subscriptions/listen` requests.

mod changes;
mod listen_request;
mod replicated;
mod session;

pub(in crate::server) use changes::Changes;
pub(in crate::server) use listen_request::ListenRequest;
pub(crate) use replicated::ChangeQueue;
pub(in crate::server) use replicated::{ChangesForReplicas, as_heard, while_heard};
pub(in crate::server) use session::Severity;
pub(crate) use session::{Session, SessionEdit, StoredSession};
