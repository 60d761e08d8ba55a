//! POST: one message or batch, and its answer.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::{Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message};
use mcp_types::{Era, RequestId, Side};

use super::event_stream::EventStream;
use super::exchange::{Arrival, Work};
use super::handshake::Opened;
use super::server::body::{self, ResponseBody};
use super::server::response;
use super::server::response::Rejection;
use super::server::service::ConnectionInfo;
use super::server::service::HttpState;
use super::session::HttpSession;
use super::stream::Stream;
use super::{handshake, header_validation, headers, stateless};
use crate::error::RequestError;
use crate::protocol::{NamedRevision, RequestParams, era_of_request, method_info};

/// A request without its body, which has been read.
pub(super) struct Post<'a> {
    pub(super) state: &'a HttpState,
    pub(super) arrival: Arrival,
    pub(super) connection: &'a ConnectionInfo,
    /// The session that it names, if it names one.
    pub(super) session: Option<Arc<HttpSession>>,
    pub(super) named: NamedRevision,
    /// The parameters, if it is a single request.
    pub(super) params: Option<Result<RequestParams<'a>, RequestError>>,
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
    let named = header_validation::named_revision(&parts.headers);
    // Before the body is read: who has no session is not worth the memory.
    let session = match named.era() {
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
        let (bytes, _permit) = body::read(body, state, &arrival, failed).await?;
        state.room(&connection.unread).await?;
        let post = Post {
            state,
            session,
            arrival,
            connection,
            named,
            params: None,
        };
        begin(post, &bytes)?
    };
    let response = match begun {
        Begun::Done(response) => response,
        Begun::Opened(opened) => opened.response(state).await?,
        Begun::Later(later) => later.response(state).await,
    };
    if let Some(session) = caller {
        state.keep_state(&session).await?;
    }
    Ok(response)
}

fn begin<'a>(mut post: Post<'a>, bytes: &'a [u8]) -> Result<Begun, Rejection> {
    let frame = match Frame::parse_with_max_depth(bytes, post.state.options.limits.max_depth) {
        Ok(frame) => frame,
        Err(invalid) => {
            let response = refuse(post.named.era(), &invalid);
            return Ok(Begun::Done(response));
        }
    };
    if let Frame::Single(Message::Request { params, .. }) = &frame {
        post.params = Some(RequestParams::read(*params));
    }
    match era(&post, &frame) {
        Era::Stateless => Ok(stateless::begin(post, frame)),
        Era::Handshake => handshake::begin(post, frame),
    }
}

/// The era of what was posted. An unknown revision in the header counts for nothing in a session.
fn era(post: &Post<'_>, frame: &Frame<'_>) -> Era {
    let Frame::Single(Message::Request { method, .. }) = frame else {
        return post.named.era();
    };
    let in_session = post
        .arrival
        .parts
        .headers
        .contains_key(&headers::SESSION_ID);
    let named = match post.named {
        NamedRevision::Unknown if in_session => NamedRevision::Absent,
        named => named,
    };
    let params = post.params.as_ref().and_then(|read| read.as_ref().ok());
    era_of_request(method, method_info(method, Side::Client), params, named)
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
    write::error(&mut message, id, error);
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

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::server::Server;
    use crate::transport::http::HttpOptions;

    fn era_of(headers: &[(&'static str, &'static str)], body: &str) -> Era {
        let mut request = http::Request::new(());
        for (name, value) in headers {
            let value = HeaderValue::from_static(value);
            request.headers_mut().insert(*name, value);
        }
        let (parts, ()) = request.into_parts();
        let frame = Frame::parse(body.as_bytes()).unwrap();
        let Frame::Single(Message::Request { params, .. }) = &frame else {
            unreachable!()
        };
        let state = HttpState::new(Server::builder().build(), HttpOptions::default());
        let post = Post {
            named: header_validation::named_revision(&parts.headers),
            arrival: Arrival {
                parts,
                peer_addr: None,
            },
            connection: &ConnectionInfo {
                peer_addr: None,
                unread: state.unread(1),
                negotiated: None,
            },
            state: &state,
            session: None,
            params: Some(RequestParams::read(*params)),
        };
        era(&post, &frame)
    }

    const VERSION: &str = "mcp-protocol-version";

    #[test]
    fn the_header_or_the_body_make_a_request_stateless() {
        let plain = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let with_meta = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
        let session = ("mcp-session-id", "x");
        for (headers, body, expected) in [
            (&[][..], plain, Era::Handshake),
            (&[session], plain, Era::Handshake),
            (&[(VERSION, "2025-06-18")], plain, Era::Handshake),
            (&[(VERSION, "2026-07-28")], plain, Era::Stateless),
            (&[(VERSION, "2026-07-28")], initialize, Era::Stateless),
            (&[(VERSION, "v999")], plain, Era::Stateless),
            (&[(VERSION, "v999"), session], plain, Era::Handshake),
            (&[(VERSION, "v999")], initialize, Era::Handshake),
            (&[], with_meta, Era::Stateless),
            (&[(VERSION, "2025-06-18")], with_meta, Era::Stateless),
            (&[], discover, Era::Stateless),
        ] {
            assert_eq!(era_of(headers, body), expected, "{headers:?} {body}");
        }
    }
}
