//! POST: one message, and what comes of it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::{Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage};
use mcp_types::{Era, RequestId};

use super::era::{self, Named};
use super::event_stream::EventStream;
use super::exchange::{Arrival, Work};
use super::handshake::Opened;
use super::server::body::{self, ResponseBody};
use super::server::response;
use super::server::response::Rejection;
use super::server::service::ConnectionInfo;
use super::server::service::HttpState;
use super::server::unread::Unread;
use super::session::HttpSession;
use super::stream::Stream;
use super::{handshake, header_validation, headers, stateless};
use crate::connection::write_error;
use crate::error::RequestError;

/// A request without its body, which has been read.
pub(super) struct Post<'a> {
    pub(super) state: &'a HttpState,
    pub(super) arrival: Arrival,
    /// What its connection leaves unread.
    pub(super) unread: &'a Arc<Unread>,
    /// The session that it names, if it names one.
    pub(super) session: Option<Arc<HttpSession>>,
    /// What the header says of the version.
    pub(super) named: Named,
}

/// How a request is answered.
pub(super) enum Begun {
    Done(Response<ResponseBody>),
    Opened(Box<Opened>),
    Later(Later),
}

/// An answer that is not there yet.
pub(super) struct Later {
    pub(super) stream: Arc<Stream>,
    /// The handler, unless a task of its own drives it.
    pub(super) work: Option<Work>,
    /// The session that must stay open meanwhile.
    pub(super) session: Option<Arc<HttpSession>>,
}

/// Serves a POST request.
///
/// # Errors
///
/// When HTTP itself refuses it.
pub(super) async fn serve<B: Body>(
    state: &HttpState,
    parts: Parts,
    body: B,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !header_validation::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    if !header_validation::accepts(&parts.headers, headers::JSON)
        || !header_validation::accepts(&parts.headers, headers::EVENT_STREAM)
    {
        return Err(Rejection::Accept);
    }
    let named = Named::by(&parts.headers);
    // Before the body is read: who has no session is not worth the memory.
    let session = match era::by_header(named) {
        Era::Handshake => state.session(&parts).await?,
        Era::Stateless => None,
    };
    let caller = session.clone();
    let peer_addr = connection.peer_addr;
    let arrival = Arrival { parts, peer_addr };
    let begun = {
        // A response that is too large can't be used, but its request need not wait for it.
        let failed = |id: Option<&RequestId>, reason| {
            if let Some(session) = &caller {
                session.answered(id, Err(reason));
            }
        };
        let received = body::read(body, state, &arrival, failed).await?;
        state.room(&connection.unread).await?;
        let post = Post {
            state,
            session,
            arrival,
            unread: &connection.unread,
            named,
        };
        begin(post, &received.bytes)?
    };
    let response = match begun {
        Begun::Done(response) => response,
        Begun::Opened(opened) => opened.response(state).await?,
        Begun::Later(later) => later.response(state).await,
    };
    if let Some(session) = caller {
        state.keep_wishes(&session).await;
    }
    Ok(response)
}

fn begin(post: Post<'_>, bytes: &[u8]) -> Result<Begun, Rejection> {
    let frame = match Frame::parse_with_max_depth(bytes, post.state.options.max_depth) {
        Ok(frame) => frame,
        Err(invalid) => {
            let response = refuse(era::by_header(post.named), &invalid);
            return Ok(Begun::Done(response));
        }
    };
    match era::of(&post.arrival.parts.headers, post.named, &frame) {
        Era::Stateless => Ok(stateless::begin(post, frame)),
        Era::Handshake => handshake::begin(post, frame),
    }
}

/// Answers a message that can't be served.
fn refuse(era: Era, invalid: &InvalidMessage) -> Response<ResponseBody> {
    tracing::debug!(%invalid, "a message was refused");
    let id = match (&invalid.id, era) {
        (Some(id), _) => ErrorId::Of(id),
        (None, Era::Handshake) => ErrorId::Null,
        (None, Era::Stateless) => ErrorId::Absent,
    };
    error(id, &invalid.error, StatusCode::BAD_REQUEST)
}

/// An error as the whole answer.
fn error(id: ErrorId<'_>, error: &ErrorObject, status: StatusCode) -> Response<ResponseBody> {
    let mut message = Vec::new();
    write_error(&mut message, id, error);
    response::json(status, message)
}

impl Begun {
    /// An error as the whole answer.
    pub(super) fn refused(id: ErrorId<'_>, refused: &RequestError, status: StatusCode) -> Self {
        Self::Done(error(id, &refused.to_error(), status))
    }

    /// An answer that is there at once, behind whatever the handler has sent before it.
    pub(super) fn now(status: StatusCode, message: Vec<u8>, later: Later) -> Self {
        if later.stream.is_untouched() {
            return Self::Done(response::json(status, message));
        }
        later.stream.answer(status, message);
        Self::Later(later)
    }
}

impl Later {
    /// Waits until it is clear whether the answer is all there is to say: then it is plain JSON,
    /// otherwise a stream of events. One that is long in coming is a stream, too, so that the
    /// connection does not look dead.
    async fn response(mut self, state: &HttpState) -> Response<ResponseBody> {
        let pace = state.options.pace();
        let mut silence = pin!(tokio::time::sleep(pace.keep_alive));
        poll_fn(|cx| {
            if let Some(work) = &mut self.work
                && let Poll::Ready((status, message)) = Pin::new(work).poll(cx)
            {
                self.work = None;
                self.stream.answer(status, message);
            }
            match self.stream.poll_ready(cx) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => silence.as_mut().poll(cx),
            }
        })
        .await;
        if let Some((status, message)) = self.stream.take_lone_answer() {
            return response::json(status, message);
        }
        let mut events = EventStream::new(self.stream, self.work, pace);
        if let Some(session) = self.session {
            if session
                .negotiated()
                .is_some_and(|negotiated| negotiated.primes_streams())
            {
                events = events.primed();
            }
            events = events.holding(session);
        }
        response::events(events)
    }
}
