//! One connection, for servers and clients alike.
//!
//! [`Core`] is the state of a connection, without I/O: it takes messages, and knows neither the
//! transport nor where the answers go. A [`Driver`] feeds it from a stream, and a session of
//! [`transport::http`](crate::transport::http) from requests. A [`Role`] is the part of a server or
//! of a client. [`Peer`] is the handle with which the rest of the program reaches the other side.

#[cfg_attr(
    not(feature = "http-server"),
    allow(dead_code, reason = "sessions over HTTP need more than streams")
)]
mod core;
mod driver;
mod handler;
#[cfg_attr(
    not(feature = "http-server"),
    allow(dead_code, reason = "sessions over HTTP need more than streams")
)]
mod in_flight;
#[cfg_attr(
    not(feature = "http-server"),
    allow(dead_code, reason = "sessions over HTTP need more than streams")
)]
mod peer;
mod pending;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "servers send more to their clients than the reverse"
    )
)]
mod queue;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unreachable_pub,
        reason = "servers send more to their clients than the reverse"
    )
)]
mod role;
mod stream;
mod write_timeout;

pub(crate) use self::core::{Core, Limits};
#[cfg(feature = "http-server")]
pub(crate) use self::core::{Member, Step};
pub(crate) use driver::Driver;
#[cfg(feature = "server")]
pub(crate) use handler::{Contained, contain};
#[cfg(feature = "http-server")]
pub(crate) use handler::{Handler, Progress, poll_once};
pub(crate) use handler::{Outgoing, join_all};
#[cfg(feature = "http-server")]
pub(crate) use handler::{response, write_error};
#[cfg(feature = "http-server")]
pub(crate) use in_flight::{BatchKey, Kind, ReplyTo, RequestKey};
pub(crate) use peer::Command;
pub use peer::Peer;
#[cfg(feature = "server")]
pub(crate) use peer::notification;
#[cfg(feature = "http-server")]
pub(crate) use peer::{Closed, Link, Unsent};
pub(crate) use pending::now;
#[cfg(feature = "http-server")]
pub(crate) use pending::{Answer, Requested, Waiter};
#[cfg(feature = "client")]
pub(crate) use pending::{OnProgress, SendOptions};
pub(crate) use queue::Commands;
#[cfg(feature = "server")]
pub use role::BoxFuture;
#[cfg(not(feature = "server"))]
pub(crate) use role::BoxFuture;
pub(crate) use role::{Role, Served};
