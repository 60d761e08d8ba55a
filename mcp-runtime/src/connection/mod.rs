//! One connection, for servers and clients alike.
//!
//! [`Core`] is the state of a connection, without I/O and independent of the transport. A
//! [`Driver`] feeds it from a stream, a session of [`transport::http`](crate::transport::http) from
//! requests. A [`Role`] is the part of a server or of a client. [`Peer`] is the handle with which
//! the rest of the program reaches the other side.

mod core;
mod driver;
mod frame;
mod handler;
mod in_flight;
mod line;
mod outbox;
mod peer;
mod queue;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use self::core::{Core, Limits, Member, Step};
pub(crate) use driver::Driver;
pub(crate) use frame::BYTE_ORDER_MARK;
#[allow(
    unused_imports,
    reason = "some builds only have transports without the setting"
)]
pub(crate) use frame::frame_limit;
pub use frame::{FrameReader, FrameWriter, Incoming, PrincipalChanges, Transport};
pub use handler::BoxFuture;
pub(crate) use handler::{
    Contained, JsonRpcResult, Polled, Role, Served, contain, join_all, poll_once, response,
};
pub(crate) use in_flight::{HandlerKind, ReplyTo, RequestKey};
pub use line::{ByteStream, LineReader, LineWriter};
pub use outbox::Outbox;
pub use peer::Peer;
pub(crate) use peer::{
    ClientIdentity, Command, Link, OnLate, OnProgress, PendingCall, SendOptions, Unsent, Waiter,
    notification, now,
};
pub(crate) use queue::Commands;
