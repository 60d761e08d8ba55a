//! Bodies: those that come in, read within limits, and those that go out.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

use super::event_stream::EventStream;
use super::rejection::Rejection;

/// Reads the whole body, at most `limit` bytes of it.
///
/// # Errors
///
/// When it is longer, takes longer than `timeout`, or breaks off.
pub(super) async fn read<B: Body>(
    body: B,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, Rejection> {
    if body.size_hint().lower() > limit as u64 {
        return Err(Rejection::TooLarge(limit));
    }
    let mut reading = pin!(collect(body, limit));
    // A small body is mostly there with the head, and a timer costs more than to look.
    let at_once = poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await;
    match at_once {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => tokio::time::timeout(timeout, reading)
            .await
            .unwrap_or(Err(Rejection::Timeout)),
    }
}

async fn collect<B: Body>(body: B, limit: usize) -> Result<Bytes, Rejection> {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let Ok(mut data) = frame.map_err(|_| Rejection::Body)?.into_data() else {
            continue;
        };
        let length = data.remaining();
        if first.len() + rest.len() + length > limit {
            return Err(Rejection::TooLarge(limit));
        }
        if first.is_empty() {
            first = data.copy_to_bytes(length);
        } else {
            rest.extend_from_slice(&data.copy_to_bytes(length));
        }
        if body.is_end_stream() {
            break;
        }
    }
    if rest.is_empty() {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(first.len() + rest.len());
    whole.extend_from_slice(&first);
    whole.extend_from_slice(&rest);
    Ok(whole.freeze())
}

/// The body of an answer: nothing, one JSON message, or a stream of events.
pub struct ResponseBody(Inner);

enum Inner {
    Full(Bytes),
    Events(Box<EventStream>),
}

impl ResponseBody {
    pub(in crate::transport) fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(super) fn full(bytes: Bytes) -> Self {
        Self(Inner::Full(bytes))
    }

    pub(super) fn events(events: EventStream) -> Self {
        Self(Inner::Events(Box::new(events)))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Inner::Full(bytes) if bytes.is_empty() => Poll::Ready(None),
            Inner::Full(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Inner::Events(events) => events
                .poll_bytes(cx)
                .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
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
