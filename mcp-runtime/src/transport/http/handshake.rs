//! The handshake era: requests belong to sessions (2025-11-25, "Transports").

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use http::{Response, StatusCode};
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{InitializeRequest, PingRequest, Request};

use super::exchange::Exchange;
use super::headers;
use super::post::{Begun, Later, Post};
use super::server::access::Principal;
use super::server::body::ResponseBody;
use super::server::response;
use super::server::response::Rejection;
use super::server::service::HttpState;
use super::session::{Delivery, HttpSession};
use crate::connection::ReplyTo;
use crate::error::RequestError;
use crate::protocol::NamedRevision;

pub(super) fn begin(post: Post<'_>, frame: Frame<'_>) -> Result<Begun, Rejection> {
    check_version(post.state, post.named)?;
    if let Some(session) = post.session.clone() {
        return Ok(in_session(post, session, frame));
    }
    let opens = matches!(&frame, Frame::Single(Message::Request { method, .. })
        if method == InitializeRequest::METHOD);
    if !post.state.options.sessions && !opens {
        let session = post.state.passing_session(post.named);
        return Ok(in_session(post, session, frame));
    }
    let owner = post.arrival.parts.extensions.get().cloned();
    let session = Arc::new(post.state.new_session(owner)?);
    match &frame {
        Frame::Single(Message::Request { .. }) if opens => Ok(open(post, session, frame)),
        Frame::Single(Message::Request { method, .. }) if method == PingRequest::METHOD => {
            Ok(in_session(post, session, frame))
        }
        Frame::Single(Message::Request { id, .. }) => {
            // What can't be read is not taken for a `_meta` that names no version.
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

/// A session that was opened, but is not kept yet.
pub(super) struct Opened {
    session: Arc<HttpSession>,
    owner: Option<Principal>,
    /// The client's parameters.
    initialize: Bytes,
    response: Response<ResponseBody>,
}

impl Opened {
    /// Keeps the session, and tells the client what it is called.
    ///
    /// # Errors
    ///
    /// When it can't be kept.
    pub(super) async fn response(
        mut self,
        state: &HttpState,
    ) -> Result<Response<ResponseBody>, Rejection> {
        state
            .keep(&self.session, self.owner, self.initialize)
            .await?;
        if let Ok(id) = HeaderValue::try_from(self.session.id().to_string()) {
            let headers = self.response.headers_mut();
            headers.insert(&headers::SESSION_ID, id);
        }
        Ok(self.response)
    }
}

/// Opens a session, if the handshake succeeds.
fn open(post: Post<'_>, session: Arc<HttpSession>, frame: Frame<'_>) -> Begun {
    let keeps = post.state.options.sessions;
    let owner = post.arrival.principal().cloned();
    let initialize = match &frame {
        Frame::Single(Message::Request { params, .. }) => {
            params.map(|params| params.get().to_owned())
        }
        _ => None,
    };
    match in_session(post, Arc::clone(&session), frame) {
        Begun::Done(response) if keeps && session.negotiated().is_some() => {
            Begun::Opened(Box::new(Opened {
                session,
                owner,
                initialize: initialize.unwrap_or_default().into(),
                response,
            }))
        }
        begun => begun,
    }
}

/// Serves a message or a batch in its session.
fn in_session(post: Post<'_>, session: Arc<HttpSession>, frame: Frame<'_>) -> Begun {
    let (wants_answer, batch) = match &frame {
        Frame::Single(Message::InvalidResponse { id, reason }) => {
            session.answered(id.as_ref(), Err(reason.clone()));
            // No id: it is no request to be answered (2025-11-25, "Transports", section "Sending
            // Messages to the Server").
            let error = RequestError::InvalidResponse(reason.clone());
            return Begun::refused(ErrorId::Absent, &error, StatusCode::BAD_REQUEST);
        }
        Frame::Single(message) => (matches!(message, Message::Request { .. }), None),
        Frame::Batch(members) => match session.batch(members) {
            Ok(batch) => (batch.is_some(), batch),
            Err((error, only_responses)) => {
                let id = match only_responses {
                    true => ErrorId::Absent,
                    false => ErrorId::Null,
                };
                return Begun::refused(id, &error, StatusCode::BAD_REQUEST);
            }
        },
    };
    let stream = match wants_answer {
        true => session.new_stream(&post.connection.unread),
        false => Arc::clone(session.standalone()),
    };
    let exchange = Exchange {
        arrival: post.arrival,
        session: Some(Arc::clone(&session)),
        stream: Arc::clone(&stream),
    };
    let to = Arc::clone(&stream);
    let delivery = Delivery {
        server: &post.state.server,
        permits: &post.state.permits,
        exchange: Arc::new(exchange),
        reply: ReplyTo { to, batch },
        params: post.params.and_then(Result::ok),
    };
    let answer = match frame {
        Frame::Single(message) => session.receive(Ok(message), &delivery),
        Frame::Batch(members) => {
            for member in members {
                if let Some((status, answer)) = session.receive(member, &delivery) {
                    session.answer(&delivery.reply, status, answer);
                }
            }
            None
        }
    };
    if !wants_answer {
        return Begun::Done(response::empty(StatusCode::ACCEPTED));
    }
    let later = Later {
        stream,
        work: None,
        session: Some(session),
    };
    match answer {
        Some((status, message)) => Begun::now(status, message, later),
        None => Begun::Later(later),
    }
}

/// Refuses a version that no session speaks.
pub(super) fn check_version(state: &HttpState, named: NamedRevision) -> Result<(), Rejection> {
    match named {
        NamedRevision::Absent => Ok(()),
        NamedRevision::Known(revision) if state.rules.supported.contains(revision) => Ok(()),
        NamedRevision::Known(_) | NamedRevision::Unknown => Err(Rejection::Version),
    }
}
