//! The handshake era: requests belong to sessions (2025-11-25, "Transports").

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use http::request::Parts;
use http::{Response, StatusCode};
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{InitializeRequest, PingRequest, Request};

use super::events::EventLog;
use super::exchange::Exchange;
use super::post::{Begun, Later, Post};
use super::server::access::Principal;
use super::server::body::ResponseBody;
use super::server::response;
use super::server::response::Rejection;
use super::server::service::HttpState;
use super::session::{
    Delivery, HttpSession, SessionId, SessionRecord, StoreError, first_request_id,
};
use super::stream::Stream;
use super::{header_validation, headers};
use crate::connection::{ReplyTo, now};
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
            // It is no request that an error could be about (2025-11-25, "Transports").
            let error = RequestError::InvalidResponse(reason.clone());
            return Begun::refused(ErrorId::Absent, &error, StatusCode::BAD_REQUEST);
        }
        Frame::Single(message) => (matches!(message, Message::Request { .. }), None),
        Frame::Batch(members) => match session.batch(members) {
            Ok(batch) => (batch.is_some(), batch),
            Err((error, only_responses)) => {
                return refused_batch(only_responses, &error);
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

/// Refuses a batch; the error has no id where the batch has responses only.
fn refused_batch(only_responses: bool, error: &RequestError) -> Begun {
    let id = match only_responses {
        true => ErrorId::Absent,
        false => ErrorId::Null,
    };
    Begun::refused(id, error, StatusCode::BAD_REQUEST)
}

/// Refuses a version that no session speaks.
pub(super) fn check_version(state: &HttpState, named: NamedRevision) -> Result<(), Rejection> {
    match named {
        NamedRevision::Absent => Ok(()),
        NamedRevision::Known(revision) if state.rules.supported.contains(revision) => Ok(()),
        NamedRevision::Known(_) | NamedRevision::Unknown => Err(Rejection::Version),
    }
}

impl HttpState {
    /// A session that no request can name yet.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(super) fn new_session(&self, owner: Option<Principal>) -> Result<HttpSession, Rejection> {
        let id = SessionId::random().map_err(unavailable)?;
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        self.session_called(id, owner, Stream::new(0, Some(log)))
    }

    /// The session `id`, whose own stream is `standalone`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(super) fn session_called(
        &self,
        id: SessionId,
        owner: Option<Principal>,
        standalone: Stream,
    ) -> Result<HttpSession, Rejection> {
        let role = (&self.server, self.server.lifecycle());
        let first_id = Some(first_request_id().map_err(unavailable)?);
        let limits = self.options.limits;
        let session = HttpSession::new(id, owner, role, limits, standalone, first_id);
        Ok(session)
    }

    /// Keeps a session that was opened with the parameters `initialize`.
    ///
    /// # Errors
    ///
    /// When there are too many, or it can't be kept.
    pub(super) async fn keep(
        &self,
        session: &Arc<HttpSession>,
        owner: Option<Principal>,
        initialize: Bytes,
    ) -> Result<(), Rejection> {
        self.sessions.add(session, now())?;
        let record = SessionRecord::new(owner, initialize);
        let (id, idle) = (session.id(), self.options.session_idle);
        let kept = self.options.store.insert(id, record, idle).await;
        kept.map_err(|error| {
            self.sessions.end(id);
            match error {
                StoreError::Full => Rejection::TooManySessions,
                StoreError::Unavailable(_) => unavailable(error),
            }
        })
    }

    /// The session that a request names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it belongs to somebody else.
    pub(super) async fn session(
        &self,
        parts: &Parts,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let value = header_validation::only(&parts.headers, &headers::SESSION_ID);
        let Some(value) = value.map_err(|_| Rejection::SessionUnknown)? else {
            return Ok(None);
        };
        if !self.options.sessions {
            return Ok(None);
        }
        let id = value.to_str().ok().and_then(|text| text.parse().ok());
        let id = id.ok_or(Rejection::SessionUnknown)?;
        let principal = parts.extensions.get();
        let session = match self.sessions.find(id) {
            Some(session) if session.belongs_to(principal) => self.renewed(session).await?,
            Some(_) => None,
            None => self.taken_over(id, principal).await?,
        };
        session.map(Some).ok_or(Rejection::SessionUnknown)
    }

    /// A session of this process, unless it is over elsewhere.
    ///
    /// # Errors
    ///
    /// When the store is unavailable.
    async fn renewed(
        &self,
        session: Arc<HttpSession>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let (id, idle) = (session.id(), self.options.session_idle);
        let Some(state) = self
            .options
            .store
            .renew(id, idle)
            .await
            .map_err(unavailable)?
        else {
            self.sessions.end(id);
            return Ok(None);
        };
        session.renewed(state);
        Ok(Some(session))
    }

    /// Stores the state of a session, if it has changed.
    ///
    /// # Errors
    ///
    /// When the store is unavailable. The session takes the state of the store over with its next
    /// request.
    pub(super) async fn keep_state(&self, session: &HttpSession) -> Result<(), Rejection> {
        let Some(state) = session.changed_state() else {
            return Ok(());
        };
        let stored = self.options.store.set_state(session.id(), state).await;
        stored.map_err(unavailable)
    }

    /// A session that another process has opened.
    async fn taken_over(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let record = self.options.store.find(id).await.map_err(unavailable)?;
        let record = record.filter(|record| record.owner.as_ref() == principal);
        let Some(record) = record else {
            return Ok(None);
        };
        let base = SessionId::random().map_err(unavailable)?.low_bits();
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        let standalone = Stream::new(base, Some(log));
        let session = self.session_called(id, record.owner.clone(), standalone)?;
        let session = match session.taken_over(&record.initialize, base) {
            Ok(session) => Arc::new(session),
            Err(reason) => {
                tracing::error!(session = ?id, reason, "what the store keeps of a session can't be used");
                return Ok(None);
            }
        };
        session.renewed(record.state);
        let session = self.sessions.add(&session, now())?;
        // It may have ended between the look into the store and here.
        self.renewed(session).await
    }

    /// Ends a session in all processes.
    ///
    /// # Errors
    ///
    /// When the store is unavailable; the session goes on then.
    pub(super) async fn end_session(&self, session: &HttpSession) -> Result<(), Rejection> {
        // In this order, so that no request that comes meanwhile opens the session anew.
        let removed = self.options.store.remove(session.id()).await;
        removed.map_err(unavailable)?;
        self.sessions.end(session.id());
        session.forget();
        Ok(())
    }
}

/// Rejects a request whose session needs a store, or randomness, that is not there.
pub(super) fn unavailable(error: impl std::fmt::Display) -> Rejection {
    tracing::error!(%error, "a session can't be served at the moment");
    Rejection::Unavailable
}
