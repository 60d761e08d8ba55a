//! Proxies: servers that relay to other servers.
//!
//! A [`Proxy`] serves its clients in each era. Within an era, messages pass as they are; between the
//! eras, they are translated.
//!
//! ```text
//! client ── ProxyServer ── Caller ──┐
//!                │                  ├── Pool ── ServerLink ── server
//!                └── call ──────────┘               │
//!          ◄───────────────────────────────────── Routes
//! ```
//!
//! A `ProxyServer` serves the requests of all clients. A client with a handshake is a `Caller`, which
//! has a connection (`ServerLink`) to each server. Stateless clients take a connection from the `Pool`
//! of the server for each call. `Routes` passes on what the server sends: progress, questions, logs and
//! changes. `translation` converts between the eras, and `parked` keeps the calls that wait for the
//! answers of stateless clients.

mod answering;
mod asking;
mod caller;
mod link;
mod merge;
mod messages;
mod names;
mod parked;
mod pool;
#[allow(
    clippy::module_inception,
    reason = "the file has the name of its public type"
)]
mod proxy;
mod routes;
mod server;
mod several;
mod translation;
mod upstream;

use mcp_types::ErrorObject;

pub use proxy::Proxy;
pub use upstream::Upstream;

use crate::connection::Peer;
use crate::error::{CallError, RequestError};

/// The reason why a call has no result.
#[derive(Clone)]
enum Failure {
    Error(ErrorObject),
    /// The proxy refuses the call.
    Refused(RequestError),
    /// A person must log in at this URL first.
    Login(String),
}

impl From<ErrorObject> for Failure {
    fn from(error: ErrorObject) -> Self {
        Self::Error(error)
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::Refused(error)
    }
}

impl Failure {
    /// Returns the answer to `caller`. Over HTTP, some errors have a status of their own.
    fn answer(self, caller: &Peer) -> ErrorObject {
        let error = match self {
            Self::Error(error) => return error,
            Self::Refused(error) => error,
            Self::Login(url) => RequestError::LoginRequired(url),
        };
        caller.identity().inspect(|it| it.refuse(&error));
        error.to_error()
    }
}

fn to_error(error: CallError) -> ErrorObject {
    let reason = match error {
        CallError::Rpc(error) => return error,
        // The address and the body of the answer are not for everybody who can call the proxy.
        CallError::Http(error) => format!("the server answered with HTTP {}", error.status),
        error => error.to_string(),
    };
    RequestError::CallFailed(reason).to_error()
}
