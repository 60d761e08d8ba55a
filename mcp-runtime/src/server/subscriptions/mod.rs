//! What clients are told without asking each time: changes of a server, the sessions that collect
//! them, and the requests that subscribe to them.

mod changes;
mod listen_request;
mod session;

pub(in crate::server) use changes::Changes;
pub(in crate::server) use listen_request::ListenRequest;
pub(in crate::server) use session::Severity;
pub(crate) use session::{Session, StoredSession};
