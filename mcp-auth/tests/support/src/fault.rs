//! Faults that a test can cause.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::watch;
use tokio::time::{Interval, interval};

/// A fault of an endpoint.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Responds with this status.
    Status(u16),
    /// Responds with 200 and a body that is not JSON.
    Garbage,
    /// Responds with 200 and this JSON.
    Json(String),
    /// Responds with 200 and a document of this many bytes.
    Large(usize),
    /// Responds with this status, `Retry-After` in seconds, and this JSON.
    Refusal(u16, Option<u64>, &'static str),
    /// Redirects with status 302.
    Redirect(String),
    /// Responds correctly after this time.
    Slow(Duration),
    /// Never responds.
    Hang,
    /// Responds with 200 and then one byte per second, forever.
    Dribble,
}

/// Delays requests to an endpoint until it is dropped.
#[derive(Debug)]
pub struct Hold {
    pub(crate) _sender: watch::Sender<()>,
}

/// A body that yields one space per second.
pub(crate) struct Dribble(Interval);

impl Dribble {
    pub(crate) fn new() -> Self {
        Self(interval(Duration::from_secs(1)))
    }
}

impl HttpBody for Dribble {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let space = || Some(Ok(Frame::data(Bytes::from_static(b" "))));
        self.0.poll_tick(cx).map(|_| space())
    }
}
