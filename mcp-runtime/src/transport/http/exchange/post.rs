//! POST: one message or batch, and its answer. A message of the handshake era goes to its session.
//! A message of the stateless era is served here, independently of all others (2026-07-28,
//! "Streamable HTTP").

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message, RequestId};
use mcp_types::{CallToolRequest, Era, RawJsonRef, Request as _, Side};

use super::event_stream::{EventStream, Work};
use super::exchange::Exchange;
use super::expiry::Expiry;
use super::stream::Stream;
use super::{handshake, header_validation};
use crate::connection::{HandlerKind, Polled, Recorder, Served, contain, poll_once};
use crate::error::{Rejection, RequestError};
use crate::protocol::{
    Admission, LastNegotiated, NamedRevision, RequestParams, era_of_request, method_info,
};
use crate::server::IncomingRequest;
use crate::sync::lock;
use crate::transport::http::headers;
use crate::transport::http::server::body::{self, ResponseBody};
use crate::transport::http::server::response;
use crate::transport::http::server::state::{Arrival, ConnectionInfo, HttpState, Permit};
use crate::transport::http::session::HttpSession;

/// A POST request whose body has been read.
pub(super) struct Post<'a> {
    pub(super) state: &'a HttpState,
    pub(super) arrival: Arrival,
    pub(super) connection: &'a ConnectionInfo,
    /// The session named by the request's header.
    pub(super) session: Option<Arc<HttpSession>>,
    pub(super) named: NamedRevision,
    /// The parameters, if the body is a single request.
    pub(super) params: Option<Result<RequestParams<'a>, RequestError>>,
    pub(super) recorder: &'a Recorder,
}

/// [`Polled`] over HTTP: the response to a POST request, or the answer that is still to come.
pub(super) enum Begun {
    Done(Response<ResponseBody>),
    Pending(PendingAnswer),
}

pub(super) struct PendingAnswer {
    pub(super) exchange: Arc<Exchange>,
    /// The handler, unless a separate task drives it.
    pub(super) work: Option<Work>,
    /// True for the answer to a batch, whose members have no status of their own.
    pub(super) is_batch: bool,
}

impl Begun {
    /// Returns an error as the whole answer.
    pub(super) fn refused(id: ErrorId<'_>, refused: &RequestError, status: StatusCode) -> Self {
        Self::Done(error(id, &refused.to_error(), status))
    }

    /// Returns an answer that is available immediately. It follows any messages that the handler
    /// has already sent.
    pub(super) fn now(status: StatusCode, message: Vec<u8>, pending: PendingAnswer) -> Self {
        let stream = &pending.exchange.stream;
        if stream.is_untouched() || pending.exchange.is_denied() {
            return Self::Done(pending.exchange.response(status, message));
        }
        stream.answer(status, message);
        Self::Pending(pending)
    }
}

impl PendingAnswer {
    /// Waits for the first message. If that is the answer, it is sent as plain JSON, otherwise as
    /// the first event of a stream. If the answer takes long, it also becomes a stream, so the
    /// connection does not look dead.
    pub(super) async fn response(mut self, state: &HttpState) -> Response<ResponseBody> {
        let Exchange {
            stream, session, ..
        } = &*self.exchange;
        let mut silence = pin!(tokio::time::sleep(state.options.keep_alive));
        poll_fn(|cx| {
            if let Some(work) = &mut self.work
                && let Poll::Ready((status, message)) = work.as_mut().poll(cx)
            {
                self.work = None;
                stream.answer(status, message);
            }
            match stream.poll_ready(cx) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => silence.as_mut().poll(cx),
            }
        })
        .await;
        if let Some((status, message)) = stream.take_lone_answer() {
            return if self.is_batch {
                response::json(status, message)
            } else {
                self.exchange.response(status, message)
            };
        }
        let events = EventStream::new(Arc::clone(stream), self.work, &state.options);
        let events = match session {
            Some(session) => events.in_session(Arc::clone(session)),
            None => events,
        };
        response::events(events)
    }
}

/// Returns an error as the whole answer.
fn error(id: ErrorId<'_>, error: &ErrorObject, status: StatusCode) -> Response<ResponseBody> {
    let mut message = Vec::new();
    write::error(&mut message, id, error);
    response::json(status, message)
}

/// Serves a POST request.
///
/// # Errors
///
/// When the request is refused at the HTTP level.
pub(in crate::transport::http) async fn serve<B: Body>(
    state: &HttpState,
    parts: Box<Parts>,
    body: B,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    if !headers::accepts(&parts.headers, headers::JSON)
        || !headers::accepts(&parts.headers, headers::EVENT_STREAM)
    {
        return Err(Rejection::Accept);
    }
    let named = header_validation::named_revision(&parts.headers);
    // Check the session before reading the body, to avoid spending memory on unknown callers.
    let session = match named.era() {
        Era::Handshake => state.session(&parts).await?,
        Era::Stateless => None,
    };
    let caller = session.clone();
    let peer_addr = connection.peer_addr;
    let arrival = Arrival { parts, peer_addr };
    let limit = state.options.max_body_bytes;
    let recorder = match &session {
        Some(session) => session.recorder(|| state.server.recorder()).clone(),
        None => state.server.recorder(),
    };
    let begun = {
        let failed = caller.as_deref().and_then(HttpSession::failing);
        let (bytes, _permit) = body::read(body, limit, state, &arrival, failed).await?;
        state.room(&connection.unread).await?;
        recorder.received(&bytes);
        let post = Post {
            state,
            session,
            arrival,
            connection,
            named,
            params: None,
            recorder: &recorder,
        };
        begin(post, &bytes).await?
    };
    let mut response = match begun {
        Begun::Done(response) => response,
        Begun::Pending(pending) => pending.response(state).await,
    };
    if let Some(session) = caller {
        // Storing the state may take time, and the body is treated as unread meanwhile.
        response.body_mut().count(&connection.unread);
        state.keep_state(&session).await?;
    }
    response.body_mut().record(&recorder);
    Ok(response)
}

async fn begin<'a>(mut post: Post<'a>, bytes: &'a [u8]) -> Result<Begun, Rejection> {
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
        Era::Stateless => Ok(begin_stateless(post, frame)),
        Era::Handshake => handshake::begin(post, frame, bytes).await,
    }
}

/// Returns the era of a posted message. In a session, an unknown revision in the header is ignored.
fn era(post: &Post<'_>, frame: &Frame<'_>) -> Era {
    let Frame::Single(Message::Request { method, .. }) = frame else {
        return post.named.era();
    };
    let sent = &post.arrival.parts.headers;
    let named = match post.named {
        NamedRevision::Unknown if sent.contains_key(&headers::SESSION_ID) => NamedRevision::Absent,
        named => named,
    };
    let params = post.params.as_ref().and_then(|read| read.as_ref().ok());
    era_of_request(method, method_info(method, Side::Client), params, named)
}

fn refuse(era: Era, invalid: &InvalidMessage) -> Response<ResponseBody> {
    tracing::debug!(%invalid, "a message was refused");
    let id = match (&invalid.id, era) {
        (Some(id), _) => ErrorId::Of(id),
        (None, Era::Handshake) => ErrorId::Null,
        (None, Era::Stateless) => ErrorId::Absent,
    };
    error(id, &invalid.error, StatusCode::BAD_REQUEST)
}

fn begin_stateless(post: Post<'_>, frame: Frame<'_>) -> Begun {
    let error = match frame {
        Frame::Single(Message::Request { id, method, params }) => {
            return serve_stateless(post, &id, &method, params);
        }
        Frame::Single(Message::Notification { method, .. }) => {
            tracing::debug!(%method, "a notification was ignored");
            return Begun::Done(response::empty(StatusCode::ACCEPTED));
        }
        Frame::Single(Message::Response { .. } | Message::InvalidResponse { .. }) => {
            RequestError::StatelessResponse
        }
        Frame::Batch(_) => RequestError::NoBatches("this revision".into()),
    };
    tracing::debug!(%error, "a message was refused");
    Begun::refused(ErrorId::Absent, &error, StatusCode::BAD_REQUEST)
}

fn serve_stateless(
    post: Post<'_>,
    id: &RequestId,
    method: &str,
    params: Option<RawJsonRef<'_>>,
) -> Begun {
    let state = post.state;
    let read = post.params.unwrap_or_else(|| RequestParams::read(params));
    let stream = Stream::new(0, None).counting(&post.connection.unread);
    let stream = Arc::new(stream);
    let exchange = Arc::new(Exchange::new(post.arrival, None, stream));
    let peer = Exchange::peer(&exchange);
    let call = IncomingRequest {
        id,
        method,
        params,
        peer: &peer,
        session: &state.stateless,
    };
    let mut admitted = false;
    let last = post.connection.negotiated.as_deref();
    let admit = || {
        let params = checked(state, method, read, &exchange.arrival.parts.headers)?;
        let admission = admit(state, method, params, last)?;
        admitted = true;
        Ok(admission)
    };
    let served = contain(|| match state.server.dispatch(call, admit) {
        Served::Later(handler) => Served::Later(state.unless_terminated(handler)),
        served => served,
    });
    let polled = poll_once(served, |kind| permit(state, kind, &exchange));
    let mut pending = PendingAnswer {
        exchange,
        work: None,
        is_batch: false,
    };
    match polled {
        Polled::Done(outcome, _) => {
            let status = response::stateless(outcome.as_ref().err(), admitted);
            Begun::now(
                status,
                pending.exchange.stream.response(id, &outcome),
                pending,
            )
        }
        Polled::Pending(handler, permit) => {
            let id = id.clone();
            let expiry = pending.exchange.expiry(state.options.auth_timeout);
            let stream = Arc::clone(&pending.exchange.stream);
            pending.work = Some(Box::pin(async move {
                let _permit = permit;
                let outcome = Expiry::end(expiry, handler).await;
                let status = response::stateless(outcome.as_ref().err(), true);
                (status, stream.response(&id, &outcome))
            }));
            Begun::Pending(pending)
        }
        Polled::Refused(error) => {
            Begun::refused(ErrorId::Of(id), &error, StatusCode::TOO_MANY_REQUESTS)
        }
    }
}

/// Admits a request. `last` is the outcome of the previous request on the same connection.
fn admit<'a>(
    state: &HttpState,
    method: &str,
    params: RequestParams<'a>,
    last: Option<&Mutex<LastNegotiated>>,
) -> Result<Admission<'a>, RequestError> {
    let mut first = LastNegotiated::default();
    let rules = state.server.rules();
    match last.map(|last| lock(last)) {
        Some(mut last) => rules.admit_stateless(method, params, &mut last),
        None => rules.admit_stateless(method, params, &mut first),
    }
}

/// Takes a permit for one of the caller's calls or subscriptions.
fn permit(
    state: &HttpState,
    kind: HandlerKind,
    exchange: &Exchange,
) -> Result<Permit, RequestError> {
    let options = &state.options;
    let (permits, error) = match kind {
        HandlerKind::Work => (
            &state.permits,
            RequestError::Busy(options.limits.max_in_flight),
        ),
        HandlerKind::Open => {
            let error = RequestError::TooManySubscriptions(options.max_subscriptions);
            (&state.open, error)
        }
    };
    permits.take(&exchange.arrival).ok_or(error)
}

/// Checks the parameters and the headers that repeat some of them.
fn checked<'a>(
    state: &HttpState,
    method: &str,
    params: Result<RequestParams<'a>, RequestError>,
    headers: &HeaderMap,
) -> Result<RequestParams<'a>, RequestError> {
    let params = params?;
    if method == CallToolRequest::METHOD {
        params.arguments()?;
    }
    header_validation::check(headers, method, &params, &state.server.rules().own_methods)?;
    Ok(params)
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
        let state = HttpState::new(Server::builder().build(), HttpOptions::default(), true);
        let post = Post {
            named: header_validation::named_revision(&parts.headers),
            arrival: Arrival {
                parts: Box::new(parts),
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
            recorder: &Recorder::default(),
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
