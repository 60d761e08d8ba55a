//! A connection, for both servers and clients.
//!
//! [`Core`] is the state of a connection, without I/O and independent of the transport. A
//! [`Driver`] feeds it from a stream, and a session of [`transport::http`](crate::transport::http)
//! feeds it from requests. A [`Role`] has the behavior of a server or of a client. The rest of the
//! program talks to the other side through a [`Peer`].

mod core;
mod driver;
mod frame;
mod handler;
mod in_flight;
mod line;
mod outbox;
mod peer;
mod queue;
mod recording;
mod replay;
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
pub(crate) use recording::Recorder;
pub use recording::Recording;
pub use replay::Replay;
