//! The handshake era: requests belong to sessions (2025-11-25, "Transports").

use std::sync::Arc;

use http::StatusCode;
use http::header::HeaderValue;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message, RequestId};
use mcp_types::{Era, InitializeRequest, PingRequest, RawJsonRef, Request};

use super::era::Named;
use super::exchange::Exchange;
use super::headers;
use super::hub::{Hub, now};
use super::post::{self, Begun, Later, Post};
use super::rejection::Rejection;
use super::response;
use super::session::{Batch, Session, Sink};
use crate::protocol::Refusal;
use crate::server::Call;

pub(super) fn begin(post: Post<'_>, frame: Frame<'_>) -> Result<Begun, Rejection> {
    check_version(post.hub, post.named)?;
    if let Some(session) = post.hub.session(&post.arrival.parts)? {
        return Ok(in_session(post, session, frame));
    }
    let opens = matches!(&frame, Frame::Single(Message::Request { method, .. })
        if method == InitializeRequest::METHOD);
    if !post.hub.options.sessions && !opens {
        let session = post.hub.passing_session(post.named.known());
        return Ok(in_session(post, session, frame));
    }
    let owner = post.arrival.parts.extensions.get().cloned();
    let session = post.hub.new_session(owner);
    let session = session.ok_or(Rejection::TooManySessions)?;
    match &frame {
        Frame::Single(Message::Request { .. }) if opens => open(post, session, frame),
        Frame::Single(Message::Request { method, .. }) if method == PingRequest::METHOD => {
            Ok(in_session(post, session, frame))
        }
        Frame::Single(Message::Request { id, .. }) => {
            let error = Refusal::NotInitialized.to_error();
            let response = post::error(ErrorId::Of(id), &error, StatusCode::BAD_REQUEST);
            Ok(Begun::Done(response))
        }
        _ => Err(Rejection::SessionMissing),
    }
}

/// Opens a session, if the handshake succeeds.
fn open(post: Post<'_>, session: Arc<Session>, frame: Frame<'_>) -> Result<Begun, Rejection> {
    let hub = post.hub;
    let begun = in_session(post, Arc::clone(&session), frame);
    let Begun::Done(mut response) = begun else {
        return Ok(begun);
    };
    if hub.options.sessions && session.terms().is_some() {
        hub.sessions.add(&session, now())?;
        if let Ok(id) = HeaderValue::try_from(session.id().to_string()) {
            response.headers_mut().insert(&headers::SESSION_ID, id);
        }
    }
    Ok(Begun::Done(response))
}

fn in_session(post: Post<'_>, session: Arc<Session>, frame: Frame<'_>) -> Begun {
    match frame {
        Frame::Single(Message::Request { id, method, params }) => {
            request(post, session, &id, &method, params)
        }
        Frame::Single(Message::Notification { method, params }) => {
            let server = &post.hub.server;
            session.notification(server, (&method, params), || {
                let stream = Arc::clone(session.standalone());
                Exchange::peer(post.arrival, &session, stream)
            });
            Begun::Done(response::empty(StatusCode::ACCEPTED))
        }
        Frame::Single(Message::Response { id, outcome }) => {
            session.answered(id.as_ref(), outcome);
            Begun::Done(response::empty(StatusCode::ACCEPTED))
        }
        Frame::Batch(members) => batch(post, session, members),
    }
}

fn request(
    post: Post<'_>,
    session: Arc<Session>,
    id: &RequestId,
    method: &str,
    params: Option<RawJsonRef<'_>>,
) -> Begun {
    let hub = post.hub;
    let later = Later {
        stream: session.new_stream(),
        work: None,
        session: Some(Arc::clone(&session)),
    };
    let sink = Sink::own(Arc::clone(&later.stream));
    let peer = Exchange::peer(post.arrival, &session, Arc::clone(&later.stream));
    let call = Call {
        id,
        method,
        params,
        peer: &peer,
        conversation: session.conversation(),
    };
    match session.request(&hub.server, call, &sink, hub.options.max_in_flight) {
        Some((status, message)) => Begun::now(status, message, later),
        None => Begun::Later(later),
    }
}

fn batch(
    post: Post<'_>,
    session: Arc<Session>,
    members: Vec<Result<Message<'_>, InvalidMessage>>,
) -> Begun {
    let hub = post.hub;
    if let Err(refusal) = session.accepts_batches() {
        let error = refusal.to_error();
        return Begun::Done(post::refuse(
            Era::Handshake,
            &InvalidMessage { id: None, error },
        ));
    }
    let wants_answer =
        |member: &&Result<_, _>| matches!(member, Ok(Message::Request { .. }) | Err(_));
    let requests = members.iter().filter(wants_answer).count();
    let later = Later {
        stream: session.new_stream(),
        work: None,
        session: Some(Arc::clone(&session)),
    };
    let batch = Arc::new(Batch::new(Arc::clone(&later.stream), requests));
    let peer = Exchange::peer(post.arrival, &session, Arc::clone(&later.stream));
    for member in members {
        match member {
            Ok(Message::Request { id, method, params }) => {
                let call = Call {
                    id: &id,
                    method: &method,
                    params,
                    peer: &peer,
                    conversation: session.conversation(),
                };
                serve_member(hub, &session, call, &batch);
            }
            Ok(Message::Notification { method, params }) => {
                session.notification(&hub.server, (&method, params), || peer.clone());
            }
            Ok(Message::Response { id, outcome }) => session.answered(id.as_ref(), outcome),
            Err(invalid) => {
                let id = invalid.id.as_ref().map_or(ErrorId::Null, ErrorId::Of);
                let mut message = Vec::new();
                let written = write::error(&mut message, id, &invalid.error);
                batch.answer(written.is_ok().then_some(&message[..]));
            }
        }
    }
    if requests == 0 {
        return Begun::Done(response::empty(StatusCode::ACCEPTED));
    }
    Begun::Later(later)
}

fn serve_member(hub: &Hub, session: &Arc<Session>, call: Call<'_>, batch: &Arc<Batch>) {
    let answer = if call.method == InitializeRequest::METHOD {
        let refusal = Refusal::Batch("`initialize` can't be part of a batch".into());
        Some(super::session::refused(call.id, &refusal, StatusCode::OK))
    } else {
        let sink = Sink::Batch(Arc::clone(batch));
        session.request(&hub.server, call, &sink, hub.options.max_in_flight)
    };
    if let Some((_, message)) = answer {
        batch.answer(Some(&message));
    }
}

/// Refuses a version that no session speaks.
pub(super) fn check_version(hub: &Hub, named: Named) -> Result<(), Rejection> {
    match named {
        Named::Nothing => Ok(()),
        Named::Known(revision) if hub.server.revisions().contains(revision) => Ok(()),
        Named::Known(_) | Named::Unknown => Err(Rejection::Version),
    }
}
