//! Client of MCP over HTTP: Streamable HTTP of all revisions from 2025-03-26 on, and HTTP+SSE.
//!
//! [`http_client`] is a [`Transport`](crate::transport::Transport): each message becomes a request
//! of its own. The version, the session and the annotated arguments of tools, which headers repeat,
//! are read off the messages that pass.
//!
//! Where a server wants more credentials than a [header](HttpUrl::header), an [`Authenticator`] gets
//! them, or a [header provider](HttpUrl::header_provider).

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
