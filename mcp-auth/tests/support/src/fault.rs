//! Faults.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::watch;
use tokio::time::{Interval, interval};

/// A fault of an endpoint, until it is healed.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers with this status.
    Status(u16),
    /// Answers 200 with what is no JSON.
    Garbage,
    /// Answers 200 with this JSON.
    Json(String),
    /// Answers 200 with a document of this many bytes.
    Large(usize),
    /// Answers with this status, `Retry-After` in seconds, and this JSON.
    Refusal(u16, Option<u64>, &'static str),
    /// Redirects with 302.
    Redirect(String),
    /// Answers rightly, after this time.
    Slow(Duration),
    /// Never answers.
    Hang,
    /// Answers 200 with a byte in each second, without end.
    Dribble,
}

/// Holds requests to an endpoint back until it is dropped.
#[derive(Debug)]
pub struct Hold {
    pub(crate) _sender: watch::Sender<()>,
}

/// A space each second.
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
