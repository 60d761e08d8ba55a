//! The handshake era: POST, GET and DELETE requests of sessions (2025-11-25, "Transports").

use std::sync::Arc;

use http::header::HeaderValue;
use http::request::Parts;
use http::{Response, StatusCode};
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{Era, InitializeRequest, PingRequest, RawJson, Request};

use super::event_stream::EventStream;
use super::events::EventId;
use super::exchange::Exchange;
use super::expiry::Access;
use super::header_validation;
use super::post::{Begun, PendingAnswer, Post};
use super::stream::Stream;
use crate::connection::ReplyTo;
use crate::error::{Rejection, RequestError};
use crate::limits::MAX_EVENT_ID_BYTES;
use crate::protocol::NamedRevision;
use crate::transport::http::headers;
use crate::transport::http::server::body::ResponseBody;
use crate::transport::http::server::response;
use crate::transport::http::server::state::HttpState;
use crate::transport::http::server::unread::Unread;
use crate::transport::http::session::{Delivery, HttpSession};

/// Starts to serve a POST request.
///
/// # Errors
///
/// When the request is refused at the HTTP level, or a session that it opens can't be stored.
pub(super) async fn begin(
    post: Post<'_>,
    frame: Frame<'_>,
    body: &[u8],
) -> Result<Begun, Rejection> {
    check_version(post.state, post.named)?;
    if let Some(session) = post.session.clone() {
        let state = post.state;
        let foreign = state
            .replicas
            .as_ref()
            .and_then(|_| session.foreign(&frame));
        let id = session.id;
        let begun = in_session(post, session, frame);
        if let Some(foreign) = foreign {
            state.forward(id, body, foreign).await?;
        }
        return Ok(begun);
    }
    match &frame {
        Frame::Single(Message::Request { method, params, .. })
            if method == InitializeRequest::METHOD =>
        {
            let initialize = params.map_or_else(RawJson::empty_object, RawJson::from);
            open(post, frame, initialize).await
        }
        _ if !post.state.options.sessions => {
            let session = post.state.passing_session(post.named);
            Ok(in_session(post, session, frame))
        }
        Frame::Single(Message::Request { method, .. }) if method == PingRequest::METHOD => {
            let session = post.state.new_session(None)?;
            Ok(in_session(post, Arc::new(session), frame))
        }
        Frame::Single(Message::Request { id, .. }) => {
            // Parameters that can't be read get their own error, because their `_meta` may have
            // named a version.
            let error = post.params.and_then(Result::err);
            let error = error.unwrap_or(RequestError::NotInitialized);
            Ok(Begun::refused(
                ErrorId::Of(id),
                &error,
                StatusCode::BAD_REQUEST,
            ))
        }
        _ => Err(Rejection::SessionMissing),
    }
}

/// Opens a session with the parameters `initialize`, if the handshake succeeds.
async fn open(post: Post<'_>, frame: Frame<'_>, initialize: RawJson) -> Result<Begun, Rejection> {
    let state = post.state;
    let owner = post.arrival.principal().cloned();
    let session = Arc::new(state.new_session(owner.clone())?);
    session.recorder(|| post.recorder.clone());
    let mut response = match in_session(post, Arc::clone(&session), frame) {
        Begun::Done(response) => response,
        // A proxy waits for the server behind it.
        Begun::Pending(pending) => pending.response(state).await,
    };
    if state.options.sessions && session.negotiated().is_some() && !session.session.is_refused() {
        state.keep(&session, owner.as_ref(), initialize).await?;
        if let Ok(id) = HeaderValue::try_from(session.id.to_string()) {
            response.headers_mut().insert(&headers::SESSION_ID, id);
        }
    }
    Ok(Begun::Done(response))
}

fn in_session(post: Post<'_>, session: Arc<HttpSession>, frame: Frame<'_>) -> Begun {
    let (wants_answer, batch) = match &frame {
        Frame::Single(Message::InvalidResponse { id, reason }) => {
            let answer = Err(reason.clone());
            session.lock().core.answered(id.as_ref(), answer);
            // A response is not a request, so the error has no id (2025-11-25, "Transports").
            let error = RequestError::InvalidResponse(reason.clone());
            return Begun::refused(ErrorId::Absent, &error, StatusCode::BAD_REQUEST);
        }
        Frame::Single(message) => (matches!(message, Message::Request { .. }), None),
        Frame::Batch(members) => match session.lock().core.batch(members) {
            Ok(batch) => (batch.is_some(), batch),
            Err(refused) => {
                // A batch of responses has no request, so the error has no id.
                let id = if refused.only_responses {
                    ErrorId::Absent
                } else {
                    ErrorId::Null
                };
                return Begun::refused(id, &refused.error, StatusCode::BAD_REQUEST);
            }
        },
    };
    let stream = if wants_answer {
        session.new_stream(&post.connection.unread)
    } else {
        Arc::clone(&session.standalone)
    };
    let owner = Some(Arc::clone(&session));
    let exchange = Exchange::new(post.arrival, owner, Arc::clone(&stream));
    let delivery = Delivery {
        server: &post.state.server,
        permits: &post.state.permits,
        auth_timeout: post.state.options.auth_timeout,
        exchange: Arc::new(exchange),
        reply: ReplyTo { to: stream, batch },
        params: post.params.and_then(Result::ok),
    };
    let answer = receive(&session, frame, &delivery);
    if !wants_answer {
        return Begun::Done(response::empty(StatusCode::ACCEPTED));
    }
    let pending = PendingAnswer {
        exchange: delivery.exchange,
        work: None,
        is_batch: batch.is_some(),
    };
    match answer {
        Some((status, message)) => Begun::now(status, message, pending),
        None => Begun::Pending(pending),
    }
}

/// Handles a message or a batch. Returns the answer to a single request if it is available
/// immediately.
fn receive(
    session: &Arc<HttpSession>,
    frame: Frame<'_>,
    delivery: &Delivery<'_>,
) -> Option<(StatusCode, Vec<u8>)> {
    let members = match frame {
        Frame::Single(message) => return session.receive(Ok(message), delivery),
        Frame::Batch(members) => members,
    };
    for member in members {
        if let Some((status, answer)) = session.receive(member, delivery) {
            session.answer(&delivery.reply, status, answer);
        }
    }
    None
}

fn check_version(state: &HttpState, named: NamedRevision) -> Result<(), Rejection> {
    match named {
        NamedRevision::Absent => Ok(()),
        NamedRevision::Known(revision) if state.server.rules().supported.contains(revision) => {
            Ok(())
        }
        NamedRevision::Known(_) | NamedRevision::Unknown => Err(Rejection::Version),
    }
}

/// Serves GET: opens the stream of a session, or resumes a stream that broke off.
///
/// # Errors
///
/// When there is no session, or no stream to resume.
pub(in crate::transport::http) async fn listen(
    state: &HttpState,
    parts: &Parts,
    unread: &Unread,
) -> Result<Response<ResponseBody>, Rejection> {
    let session = session_of(state, parts).await?;
    if !headers::accepts(&parts.headers, headers::EVENT_STREAM) {
        return Err(Rejection::Accept);
    }
    state.room(unread).await?;
    let recorder = session.recorder(|| state.server.recorder()).clone();
    let access = Access::of(parts, state.options.auth_timeout);
    let last = headers::only(&parts.headers, &headers::LAST_EVENT_ID);
    let Some(id) = last.map_err(|_| Rejection::EventId)? else {
        let events = EventStream::new(Arc::clone(&session.standalone), None, &state.options);
        let mut events = events.in_session(session).until(access, None);
        events.record(recorder);
        return Ok(response::events(events));
    };
    let id = id.to_str().ok().filter(|id| id.len() <= MAX_EVENT_ID_BYTES);
    let id = id.and_then(EventId::parse);
    let id = id.ok_or(Rejection::EventId)?;
    let stream = session.stream(id.stream).unwrap_or_else(|| {
        // The stream's request has been answered, so the remaining messages are only in the log.
        let answered = Stream::new(id.stream, None);
        answered.end();
        Arc::new(answered)
    });
    let ticket = stream.attach();
    let missed = match &session.standalone.log {
        Some(log) => {
            let replayed = log.replay(id).await;
            replayed.map_err(|error| state.unavailable(error))?
        }
        None => Vec::new(),
    };
    for event in &missed {
        recorder.sent(&event.message);
    }
    let events = EventStream::resumed(stream, ticket, id, &missed, &state.options);
    let mut events = events.holding(session).until(access, None);
    events.record(recorder);
    Ok(response::events(events))
}

/// Serves DELETE: ends a session.
///
/// # Errors
///
/// When there is no such session, or the store is unavailable.
pub(in crate::transport::http) async fn delete(
    state: &HttpState,
    parts: &Parts,
) -> Result<Response<ResponseBody>, Rejection> {
    let session = session_of(state, parts).await?;
    state.end_session(&session).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// Returns the session that a GET or DELETE request names.
///
/// # Errors
///
/// When the request names no session, or a session that the caller does not own.
async fn session_of(state: &HttpState, parts: &Parts) -> Result<Arc<HttpSession>, Rejection> {
    let named = header_validation::named_revision(&parts.headers);
    if !state.options.sessions || named.era() == Era::Stateless {
        return Err(Rejection::Method("POST"));
    }
    check_version(state, named)?;
    state.session(parts).await?.ok_or(Rejection::SessionMissing)
}
