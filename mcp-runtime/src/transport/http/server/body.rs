//! Bodies: those that come in, read within limits, and those that go out.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut as _, Bytes, BytesMut};
use http::header::EXPECT;
use http_body::{Body, Frame, SizeHint};
use mcp_types::RequestId;
use mcp_types::jsonrpc::Head;

use super::permits::Permit;
use super::response::Rejection;
use super::state::HttpState;
use super::unread::{Pieces, Unread};
use crate::limits::FREE_BODY_BYTES;
use crate::transport::http::event_stream::EventStream;
use crate::transport::http::exchange::Arrival;

/// How much of a body that is too large is looked at, in bytes.
const HEAD: usize = 4 * 1024;

/// A body that has come, and its place in the budget for bodies.
pub(in crate::transport::http) struct Received {
    pub(in crate::transport::http) bytes: Bytes,
    _place: Option<Permit>,
}

/// A body that was not read whole.
pub(in crate::transport::http) struct Unreadable {
    rejection: Rejection,
    /// The bytes at its beginning, of a body that is too large.
    head: Bytes,
}

impl Unreadable {
    /// The id and the fault of the response that the body begins with, if it begins with one.
    pub(in crate::transport::http) fn response(&self) -> Option<(Option<RequestId>, String)> {
        let head = Head::read(&self.head);
        let reason = || (head.id.clone(), self.rejection.to_string());
        head.is_response().then(reason)
    }
}

impl From<Unreadable> for Rejection {
    fn from(unreadable: Unreadable) -> Self {
        unreadable.rejection
    }
}

impl From<Rejection> for Unreadable {
    fn from(rejection: Rejection) -> Self {
        Self {
            rejection,
            head: Bytes::new(),
        }
    }
}

/// Reads the whole body of `arrival`, within the limits of the server.
///
/// # Errors
///
/// When it is longer, takes longer than it may, breaks off, or finds no place in the budget.
pub(in crate::transport::http) async fn read<B: Body>(
    body: B,
    state: &HttpState,
    arrival: &Arrival,
) -> Result<Received, Unreadable> {
    let options = &state.options;
    // A client that waits to be told to go on is told not to.
    let waits = arrival.parts.headers.contains_key(EXPECT);
    if waits && is_too_large(&body, options.max_body_bytes) {
        return Err(Rejection::TooLarge(options.max_body_bytes).into());
    }
    let mut reading = pin!(collect(body, state, arrival));
    // A small body is mostly there with the head, and a timer costs more than to look.
    let at_once = poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await;
    match at_once {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => tokio::time::timeout(options.body_timeout, reading)
            .await
            .unwrap_or(Err(Rejection::Timeout.into())),
    }
}

fn is_too_large(body: &impl Body, limit: usize) -> bool {
    body.size_hint().lower() > limit as u64
}

async fn collect<B: Body>(
    body: B,
    state: &HttpState,
    arrival: &Arrival,
) -> Result<Received, Unreadable> {
    let limit = state.options.max_body_bytes;
    let is_too_large = is_too_large(&body, limit);
    let mut body = pin!(body);
    // One frame is taken as it is; more are joined.
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    let mut received = 0;
    let mut place: Option<Permit> = None;
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let Ok(mut data) = frame.map_err(|_| Rejection::Body)?.into_data() else {
            continue;
        };
        let length = data.remaining();
        let counted = FREE_BODY_BYTES.max(received);
        received += length;
        if is_too_large || received > limit {
            joined.extend_from_slice(&first);
            joined.put(data.take(HEAD.saturating_sub(joined.len())));
            return Err(Unreadable {
                rejection: Rejection::TooLarge(limit),
                head: joined.freeze(),
            });
        }
        if received > counted {
            let place = place.get_or_insert_with(|| state.bodies.none(arrival));
            if !place.grow(received - counted) {
                return Err(Rejection::TooManyBodies.into());
            }
        }
        if received == length {
            first = data.copy_to_bytes(length);
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.put(data);
        }
        if body.is_end_stream() {
            break;
        }
    }
    let bytes = if joined.is_empty() {
        first
    } else {
        joined.freeze()
    };
    Ok(Received {
        bytes,
        _place: place,
    })
}

/// The body of an answer: nothing, one JSON message, or a stream of events.
pub struct ResponseBody(Inner);

enum Inner {
    Full(Pieces),
    Events(Box<EventStream>),
}

impl ResponseBody {
    pub(in crate::transport) fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(in crate::transport::http) fn full(bytes: Bytes) -> Self {
        Self(Inner::Full(Pieces::uncounted(bytes)))
    }

    pub(in crate::transport::http) fn events(events: EventStream) -> Self {
        Self(Inner::Events(Box::new(events)))
    }

    /// Counts what is in the body as unread until it is read.
    pub(in crate::transport::http) fn count(&mut self, unread: &Arc<Unread>) {
        match &mut self.0 {
            Inner::Full(bytes) => bytes.count(unread),
            Inner::Events(events) => events.count(unread),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut self.0 {
            Inner::Full(bytes) => Poll::Ready(bytes.next()),
            Inner::Events(events) => events.poll_bytes(cx),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Inner::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Inner::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Inner::Full(_) => "ResponseBody::Full",
            Inner::Events(_) => "ResponseBody::Events",
        })
    }
}
