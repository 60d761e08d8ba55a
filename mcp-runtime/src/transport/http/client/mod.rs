//! The client of MCP over HTTP: Streamable HTTP of all revisions since 2025-03-26, and HTTP+SSE.
//!
//! [`http_client`] returns a [`Transport`](crate::transport::Transport), which sends each message
//! as a separate request. The transport reads the values that headers must repeat from the messages
//! that pass through it: the version, the session, and the annotated arguments of tools.
//!
//! If a server needs more than a fixed [header](HttpUrl::header), an [`Authenticator`] or a [header
//! provider](HttpUrl::header_provider) supplies the credentials.

mod address_rule;
mod authenticator;
mod body;
mod connection;
mod connector;
mod credentials;
mod legacy;
mod outgoing;
mod remote;
mod response;
mod session_end;

pub use authenticator::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo,
};
pub use body::retry_after;
pub use connection::{HttpUrl, http_client};
