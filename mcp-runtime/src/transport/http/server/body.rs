//! The bodies of requests, which are read within limits, and of responses.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut as _, Bytes};
use http::header::EXPECT;
use http_body::{Body, Frame, SizeHint};
use mcp_types::RequestId;
use mcp_types::jsonrpc::Head;

use super::state::{Arrival, HttpState, Permit};
use super::unread::{Pieces, Unread};
use crate::connection::{BYTE_ORDER_MARK, Recorder};
use crate::error::Rejection;
use crate::limits::FREE_BODY_BYTES;
use crate::transport::http::exchange::event_stream::EventStream;

/// How many bytes of an oversized body are searched for the id of a response.
const HEAD: usize = 4 * 1024;
/// The size of each allocation for a body that arrives in several frames.
const PIECE: usize = 16 * 1024;

/// Reads the whole body of `arrival`, at most `limit` bytes and within the server's other limits,
/// and returns it with its permit from the budget for bodies. A body whose `Content-Length` exceeds
/// the limit is not read, unless there is `failed`: then a request to the client waits for a
/// response, and if the body begins with a response, `failed` gets its id and the error.
///
/// # Errors
///
/// When the body is longer or takes longer than allowed, breaks off, or exceeds the budget for
/// bodies.
pub(crate) async fn read<B: Body>(
    body: B,
    limit: usize,
    state: &HttpState,
    arrival: &Arrival,
    failed: Option<impl FnOnce(Option<&RequestId>, String)>,
) -> Result<(Bytes, Option<Permit>), Rejection> {
    let is_too_large = body.size_hint().lower() > limit as u64;
    // A client that waits for `100 Continue` gets the error instead.
    let expects = arrival.parts.headers.contains_key(EXPECT);
    if is_too_large && (expects || failed.is_none()) {
        return Err(Rejection::TooLarge(limit));
    }
    let mut body = pin!(body);
    let mut bytes = ReceivedBody::default();
    let mut permit: Option<Permit> = None;
    let collected = async {
        while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
            let Ok(data) = frame.map_err(|_| Rejection::Body)?.into_data() else {
                continue;
            };
            let length = data.remaining();
            let received = bytes.len() + length;
            if is_too_large || received > limit {
                bytes.push(data.take(HEAD));
                let rejection = Rejection::TooLarge(limit);
                let bytes = bytes.joined();
                let head = Head::read(&bytes[..bytes.len().min(HEAD)]);
                if let Some(failed) = failed.filter(|_| head.is_response()) {
                    failed(head.id.as_ref(), rejection.to_string());
                }
                return Err(rejection);
            }
            let counted = FREE_BODY_BYTES.max(bytes.len());
            if received > counted {
                let permit = permit.get_or_insert_with(|| state.bodies.none(arrival));
                if !permit.grow(received - counted) {
                    return Err(Rejection::TooManyBodies);
                }
            }
            bytes.push(data);
            if body.is_end_stream() {
                break;
            }
        }
        Ok((bytes.joined(), permit))
    };
    let outcome = tokio::time::timeout(state.options.body_timeout, collected).await;
    outcome.unwrap_or(Err(Rejection::Timeout))
}

#[derive(Default)]
struct ReceivedBody {
    /// The first frame, which is usually the whole body. It is not copied.
    first: Bytes,
    /// All frames, if there are several. Pieces of equal length leave no gaps between allocations,
    /// as a growing buffer would.
    pieces: Vec<Vec<u8>>,
    length: usize,
}

impl ReceivedBody {
    fn len(&self) -> usize {
        self.length
    }

    fn push(&mut self, mut data: impl Buf) {
        self.length += data.remaining();
        if self.length == data.remaining() {
            self.first = data.copy_to_bytes(self.length);
            return;
        }
        let first = std::mem::take(&mut self.first);
        let mut data = first.chain(data);
        while data.has_remaining() {
            match self.pieces.last_mut().filter(|last| last.len() < PIECE) {
                Some(last) => last.put((&mut data).take(PIECE - last.len())),
                None => self.pieces.push(Vec::with_capacity(PIECE)),
            }
        }
    }

    /// Returns all received bytes without a leading byte order mark.
    fn joined(self) -> Bytes {
        let mut bytes = if self.pieces.is_empty() {
            self.first
        } else {
            self.pieces.concat().into()
        };
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.advance(BYTE_ORDER_MARK.len());
        }
        bytes
    }
}

/// The body of a response: empty, one JSON message, or a stream of events.
pub struct ResponseBody(BodyKind);

enum BodyKind {
    Full(Pieces),
    Events(Box<EventStream>),
}

impl ResponseBody {
    pub(crate) fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        Self(BodyKind::Full(Pieces::uncounted(bytes)))
    }

    pub(crate) fn events(events: EventStream) -> Self {
        Self(BodyKind::Events(Box::new(events)))
    }

    /// Counts the bytes of the body as unread until the client has read them.
    pub(crate) fn count(&mut self, unread: &Arc<Unread>) {
        match &mut self.0 {
            BodyKind::Full(bytes) => bytes.count(unread),
            BodyKind::Events(events) => events.count(unread),
        }
    }

    /// Records the message, or each message of the stream when it is sent.
    pub(crate) fn record(&mut self, recorder: &Recorder) {
        match &mut self.0 {
            BodyKind::Full(message) if message.is_empty() => {}
            BodyKind::Full(message) => recorder.sent(message.bytes()),
            BodyKind::Events(events) => events.record(recorder.clone()),
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
            BodyKind::Full(bytes) => Poll::Ready(bytes.next()),
            BodyKind::Events(events) => events.poll_bytes(cx),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, BodyKind::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            BodyKind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            BodyKind::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").finish_non_exhaustive()
    }
}
