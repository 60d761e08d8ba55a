//! The handshake era: requests belong to sessions (2025-11-25, "Transports").

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use http::{Response, StatusCode};
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message, RequestId, code};
use mcp_types::{InitializeRequest, PingRequest, RawJsonRef, Request};

use super::body::ResponseBody;
use super::era::Named;
use super::exchange::Exchange;
use super::headers;
use super::post::{self, Begun, Later, Post};
use super::principal::Principal;
use super::rejection::Rejection;
use super::response;
use super::session::{Batch, HttpSession, Sink};
use super::state::HttpState;
use crate::error::RequestError;
use crate::protocol::RequestParams;
use crate::server::Call;

pub(super) fn begin(post: Post<'_>, frame: Frame<'_>) -> Result<Begun, Rejection> {
    check_version(post.state, post.named)?;
    if let Some(session) = post.session.clone() {
        return Ok(in_session(post, session, frame));
    }
    let opens = matches!(&frame, Frame::Single(Message::Request { method, .. })
        if method == InitializeRequest::METHOD);
    if !post.state.options.sessions && !opens {
        let session = post.state.passing_session(post.named.known());
        return Ok(in_session(post, session, frame));
    }
    let owner = post.arrival.parts.extensions.get().cloned();
    let session = Arc::new(post.state.new_session(owner)?);
    match &frame {
        Frame::Single(Message::Request { .. }) if opens => Ok(open(post, session, frame)),
        Frame::Single(Message::Request { method, .. }) if method == PingRequest::METHOD => {
            Ok(in_session(post, session, frame))
        }
        Frame::Single(Message::Request { id, params, .. }) => {
            // What can't be read is not taken for a `_meta` that names no version.
            let refusal = RequestParams::read(*params).err();
            let error = refusal.unwrap_or(RequestError::NotInitialized).to_error();
            let response = post::error(ErrorId::Of(id), &error, StatusCode::BAD_REQUEST);
            Ok(Begun::Done(response))
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

fn in_session(post: Post<'_>, session: Arc<HttpSession>, frame: Frame<'_>) -> Begun {
    match frame {
        Frame::Single(Message::Request { id, method, params }) => {
            request(post, session, &id, &method, params)
        }
        Frame::Single(Message::Notification { method, params }) => {
            let server = &post.state.server;
            session.notification(server, (&method, params), || {
                let stream = Arc::clone(session.standalone());
                Exchange::peer(post.arrival, &session, stream)
            });
            Begun::Done(response::empty(StatusCode::ACCEPTED))
        }
        Frame::Single(Message::Response { id, outcome }) => {
            session.answered(id.as_ref(), Ok(outcome));
            Begun::Done(response::empty(StatusCode::ACCEPTED))
        }
        Frame::Single(Message::InvalidResponse { id, reason }) => {
            let refused = invalid_response(&reason);
            session.answered(id.as_ref(), Err(reason));
            Begun::Done(refused)
        }
        Frame::Batch(members) => batch(post, session, members),
    }
}

fn request(
    post: Post<'_>,
    session: Arc<HttpSession>,
    id: &RequestId,
    method: &str,
    params: Option<RawJsonRef<'_>>,
) -> Begun {
    let state = post.state;
    let later = Later {
        stream: session.new_stream(post.unread),
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
        session: session.session(),
    };
    match session.request(&state.server, call, &sink, &state.permits) {
        Some((status, message)) => Begun::now(status, message, later),
        None => Begun::Later(later),
    }
}

fn batch(
    post: Post<'_>,
    session: Arc<HttpSession>,
    members: Vec<Result<Message<'_>, InvalidMessage>>,
) -> Begun {
    let state = post.state;
    if let Err(refusal) = session.accepts_batches() {
        return Begun::Done(refused_batch(&session, members, &refusal));
    }
    let wants_answer =
        |member: &&Result<_, _>| matches!(member, Ok(Message::Request { .. }) | Err(_));
    let requests = members.iter().filter(wants_answer).count();
    let later = Later {
        stream: session.new_stream(post.unread),
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
                    session: session.session(),
                };
                serve_member(state, &session, call, &batch);
            }
            Ok(Message::Notification { method, params }) => {
                session.notification(&state.server, (&method, params), || peer.clone());
            }
            Ok(Message::Response { id, outcome }) => session.answered(id.as_ref(), Ok(outcome)),
            Ok(Message::InvalidResponse { id, reason }) => {
                session.answered(id.as_ref(), Err(reason));
            }
            Err(invalid) => {
                let id = invalid.id.as_ref().map_or(ErrorId::Null, ErrorId::Of);
                let mut message = Vec::new();
                write::error(&mut message, id, &invalid.error);
                batch.answer(Some(&message[..]));
            }
        }
    }
    if requests == 0 {
        return Begun::Done(response::empty(StatusCode::ACCEPTED));
    }
    Begun::Later(later)
}

/// Refuses a batch in a revision without batches. Responses in it fail their requests.
fn refused_batch(
    session: &HttpSession,
    members: Vec<Result<Message<'_>, InvalidMessage>>,
    refusal: &RequestError,
) -> Response<ResponseBody> {
    let mut only_responses = true;
    for member in members {
        match member {
            Ok(Message::Response { id, .. } | Message::InvalidResponse { id, .. }) => {
                session.answered(id.as_ref(), Err(refusal.to_string()));
            }
            Ok(_) | Err(_) => only_responses = false,
        }
    }
    let id = match only_responses {
        true => ErrorId::Absent,
        false => ErrorId::Null,
    };
    post::error(id, &refusal.to_error(), StatusCode::BAD_REQUEST)
}

/// Refuses a malformed response, without an id: it is no request to be answered (2025-11-25,
/// "Transports", section "Sending Messages to the Server").
fn invalid_response(reason: &str) -> Response<ResponseBody> {
    let error = ErrorObject::new(code::INVALID_REQUEST, format!("Invalid response: {reason}"));
    post::error(ErrorId::Absent, &error, StatusCode::BAD_REQUEST)
}

fn serve_member(state: &HttpState, session: &Arc<HttpSession>, call: Call<'_>, batch: &Arc<Batch>) {
    let limit = state.options.max_unread_bytes;
    let refusal = if call.method == InitializeRequest::METHOD {
        Some("`initialize` can't be part of a batch".to_owned())
    } else if batch.gathered() > limit {
        Some(format!(
            "the answers exceed {limit} bytes; send the rest of the batch by itself"
        ))
    } else {
        None
    };
    let answer = match refusal {
        Some(reason) => {
            let refusal = RequestError::Batch(reason);
            Some(super::session::refused(call.id, &refusal, StatusCode::OK))
        }
        None => {
            let sink = Sink::Batch(Arc::clone(batch));
            session.request(&state.server, call, &sink, &state.permits)
        }
    };
    if let Some((_, message)) = answer {
        batch.answer(Some(&message));
    }
}

/// Refuses a version that no session speaks.
pub(super) fn check_version(state: &HttpState, named: Named) -> Result<(), Rejection> {
    match named {
        Named::Nothing => Ok(()),
        Named::Known(revision) if state.server.revisions().contains(revision) => Ok(()),
        Named::Known(_) | Named::Unknown => Err(Rejection::Version),
    }
}
