//! The HTTP server around the protocol: listening, limits, checks of callers, and bodies.

pub(super) mod access;
pub(super) mod admission;
pub(super) mod body;
pub(super) mod connection;
pub(super) mod listener;
pub(super) mod options;
pub(super) mod policy;
pub(super) mod response;
pub(super) mod service;
pub(super) mod state;
pub(super) mod unread;

pub use admission::{ResponseHeaders, ScopeCheck};
pub use body::ResponseBody;
pub use listener::{Http, http};
pub use options::HttpOptions;
pub use policy::AccessPolicy;
pub use service::{HttpService, ResponseFuture, ServiceGuard, http_service};
pub use state::PeerAddr;
#[cfg(feature = "websocket")]
pub(crate) use {access::authorize, connection::Route, service::admit, state::HttpState};
