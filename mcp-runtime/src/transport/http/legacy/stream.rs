//! The one stream of a client, and the messages that it posts.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{Response, StatusCode};
use http_body::Body;
use mcp_types::RequestId;
use mcp_types::jsonrpc::{Frame, InvalidMessage};

use crate::connection::{ReplyTo, now};
use crate::error::RequestError;
use crate::transport::http::event_stream::EventStream;
use crate::transport::http::exchange::{Arrival, Exchange};
use crate::transport::http::server::access::Principal;
use crate::transport::http::server::body::{self, ResponseBody};
use crate::transport::http::server::response;
use crate::transport::http::server::response::Rejection;
use crate::transport::http::server::service::ConnectionInfo;
use crate::transport::http::server::service::HttpState;
use crate::transport::http::session::{Delivery, HttpSession, SessionId, Sessions};
use crate::transport::http::stream::Stream;
use crate::transport::http::{header_validation, headers};

/// Opens a session, which lasts as long as its stream.
pub(super) fn open(
    state: &HttpState,
    parts: &Parts,
    messages: &str,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !header_validation::accepts(&parts.headers, headers::EVENT_STREAM) {
        return Err(Rejection::Accept);
    }
    let owner = parts.extensions.get().cloned();
    let session = session_of_stream(state, owner, connection)?;
    state.sessions.add(&session, now())?;
    let id = session.id();
    let stream = Arc::clone(session.standalone());
    let ends = Ends {
        sessions: Arc::clone(&state.sessions),
        id,
        _session: session,
    };
    let address = format!("{messages}?session_id={id}");
    let events = EventStream::new(stream, None, state.options.pace())
        .beginning_with(endpoint(&address))
        .holding(Arc::new(ends));
    Ok(response::events(events))
}

/// A session that ends with the one stream that it has.
fn session_of_stream(
    state: &HttpState,
    owner: Option<Principal>,
    connection: &ConnectionInfo,
) -> Result<Arc<HttpSession>, Rejection> {
    let id = SessionId::random().map_err(|_| Rejection::NoSessions)?;
    let standalone = Stream::new(0, None).counting(&connection.unread);
    state.session_called(id, owner, standalone).map(Arc::new)
}

/// The event that says where to post to.
fn endpoint(address: &str) -> Bytes {
    format!("event: endpoint\ndata: {address}\n\n").into()
}

/// Ends the session when the stream is closed.
struct Ends {
    sessions: Arc<Sessions>,
    id: SessionId,
    /// A session that is held is in use.
    _session: Arc<HttpSession>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.sessions.end(self.id);
    }
}

/// Takes a message; what comes of it goes to the stream.
pub(super) async fn post<B: Body>(
    state: &HttpState,
    parts: Parts,
    body: B,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !header_validation::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    let session = session(state, &parts)?;
    let peer_addr = connection.peer_addr;
    let arrival = Arrival { parts, peer_addr };
    let failed = |id: Option<&RequestId>, reason| session.answered(id, Err(reason));
    let received = body::read(body, state, &arrival, failed).await?;
    if let Some(unread) = session.standalone().unread() {
        state.room(unread).await?;
    }
    let depth = state.options.max_depth;
    let member = match Frame::parse_with_max_depth(&received.bytes, depth) {
        Ok(Frame::Single(message)) => Ok(message),
        Ok(Frame::Batch(_)) => Err(InvalidMessage {
            id: None,
            has_method: false,
            error: RequestError::BatchOverSse.to_error(),
        }),
        Err(invalid) => Err(invalid),
    };
    let stream = Arc::clone(session.standalone());
    let delivery = Delivery {
        server: &state.server,
        permits: &state.permits,
        exchange: Arc::new(Exchange {
            arrival,
            session: Some(Arc::clone(&session)),
            stream: Arc::clone(&stream),
        }),
        reply: ReplyTo {
            to: stream,
            batch: None,
        },
        params: None,
    };
    if let Some((status, answer)) = session.receive(member, &delivery) {
        session.answer(&delivery.reply, status, answer);
    }
    Ok(response::empty(StatusCode::ACCEPTED))
}

fn session(state: &HttpState, parts: &Parts) -> Result<Arc<HttpSession>, Rejection> {
    let mut fields = parts.uri.query().unwrap_or_default().split('&');
    let id = fields.find_map(|field| field.strip_prefix("session_id="));
    let id = id.ok_or(Rejection::SessionMissing)?;
    let id = id.parse().map_err(|_| Rejection::SessionUnknown)?;
    let session = state.sessions.find(id);
    let session = session.filter(|session| session.belongs_to(parts.extensions.get()));
    let session = session.ok_or(Rejection::SessionUnknown)?;
    session.touch(now());
    Ok(session)
}
