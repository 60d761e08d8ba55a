//! The one async loop over a message stream, for servers and clients alike.
//!
//! [`Driver`] moves bytes and waits; [`Core`] turns frames into answers and knows neither the
//! transport nor the clock's source; a [`Role`] says what a server or a client does with a
//! message. [`Peer`] is the handle through which the rest of the program talks to the other side.

mod answer;
mod batch;
mod core;
mod in_flight;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "servers say more to their clients than clients to their servers"
    )
)]
mod link;
#[cfg(feature = "server")]
mod origin;
mod panic;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "servers say more to their clients than clients to their servers"
    )
)]
mod peer;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "servers say more to their clients than clients to their servers"
    )
)]
mod queue;
mod requested;
mod response;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unreachable_pub,
        reason = "servers say more to their clients than clients to their servers"
    )
)]
mod role;
mod run;
mod stall;
#[cfg(feature = "http-server")]
mod way;

pub(crate) use self::core::Core;
#[cfg(feature = "http-server")]
pub(crate) use answer::{Answer, answered};
#[cfg(feature = "http-server")]
pub(crate) use link::{Link, Unsent};
#[cfg(feature = "server")]
pub(crate) use panic::{Contained, contain};
#[cfg(feature = "server")]
pub(crate) use peer::Guard;
pub use peer::Peer;
#[cfg(feature = "server")]
pub(crate) use peer::notification;
pub(crate) use peer::{Closed, Command, Waiter};
#[cfg(feature = "client")]
pub(crate) use peer::{OnProgress, Sending};
pub(crate) use queue::Commands;
#[cfg(feature = "http-server")]
pub(crate) use response::{write_error, write_response};
#[cfg(feature = "server")]
pub use role::BoxFuture;
#[cfg(not(feature = "server"))]
pub(crate) use role::BoxFuture;
pub(crate) use role::{Outgoing, Role, Served};
pub(crate) use run::{Driver, Limits};
