//! HTTP+SSE, the transport of 2024-11-05: the client opens one stream, on which everything comes
//! that the server sends, and posts its own messages to the address that the stream begins with.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{Frame, InvalidMessage, Message};

use super::body::{self, ResponseBody};
use super::event_stream::EventStream;
use super::exchange::{Arrival, Exchange};
use super::hub::{Hub, now};
use super::rejection::Rejection;
use super::session::{Session, SessionId, Sessions, Sink};
use super::{guard, headers, response, sse};
use crate::driver::{Peer, write_error};
use crate::protocol::Refusal;
use crate::server::Call;

/// Where the stream is opened.
pub(super) const STREAM: &str = "/sse";
/// Where messages are posted.
pub(super) const MESSAGES: &str = "/messages";

/// Serves a request to either path.
///
/// # Errors
///
/// When HTTP itself refuses it.
pub(super) async fn serve<B: Body>(
    hub: &Hub,
    parts: Parts,
    body: B,
    peer_addr: SocketAddr,
) -> Result<Response<ResponseBody>, Rejection> {
    guard::check(&parts.uri, &parts.headers, &hub.options)?;
    if hub.is_ending() {
        return Err(Rejection::Ending);
    }
    match (parts.uri.path(), &parts.method) {
        (STREAM, &Method::GET) => open(hub, &parts),
        (STREAM, _) => Err(Rejection::Method("GET")),
        (_, &Method::POST) => post(hub, parts, body, peer_addr).await,
        _ => Err(Rejection::Method("POST")),
    }
}

/// Opens a session, which lasts as long as its stream.
fn open(hub: &Hub, parts: &Parts) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::accepts(&parts.headers, headers::EVENT_STREAM) {
        return Err(Rejection::Accept);
    }
    let owner = parts.extensions.get().cloned();
    let session = hub
        .connected_session(owner)
        .ok_or(Rejection::TooManySessions)?;
    hub.sessions.add(&session, now())?;
    let id = session.id();
    let stream = Arc::clone(session.standalone());
    let ends = Ends {
        sessions: Arc::clone(&hub.sessions),
        id,
        _session: session,
    };
    let address = format!("{MESSAGES}?session_id={id}");
    let events = EventStream::new(stream, None, hub.options.keep_alive)
        .beginning_with(sse::typed("endpoint", &address))
        .holding(Arc::new(ends));
    Ok(response::events(events))
}

/// Ends the session when the stream is closed.
struct Ends {
    sessions: Arc<Sessions>,
    id: SessionId,
    /// A session that is held is in use.
    _session: Arc<Session>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.sessions.end(self.id);
    }
}

/// Takes a message; what comes of it goes to the stream.
async fn post<B: Body>(
    hub: &Hub,
    parts: Parts,
    body: B,
    peer_addr: SocketAddr,
) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    let session = session(hub, &parts)?;
    let options = &hub.options;
    let bytes = body::read(body, options.max_body_bytes, options.body_timeout).await?;
    let invalid = match Frame::parse_with_max_depth(&bytes, options.max_depth) {
        Ok(Frame::Single(message)) => {
            message_came(hub, session, parts, peer_addr, message);
            return Ok(response::empty(StatusCode::ACCEPTED));
        }
        Ok(Frame::Batch(_)) => {
            let refusal = Refusal::Batch("this transport has no batches".to_owned());
            let error = refusal.to_error();
            InvalidMessage { id: None, error }
        }
        Err(invalid) => invalid,
    };
    let id = invalid.id.as_ref().map_or(ErrorId::Null, ErrorId::Of);
    let mut answer = Vec::new();
    write_error(&mut answer, id, &invalid.error);
    session.standalone().push(answer);
    Ok(response::empty(StatusCode::ACCEPTED))
}

fn session(hub: &Hub, parts: &Parts) -> Result<Arc<Session>, Rejection> {
    let mut fields = parts.uri.query().unwrap_or_default().split('&');
    let id = fields.find_map(|field| field.strip_prefix("session_id="));
    let id = id.ok_or(Rejection::SessionMissing)?;
    let id = id.parse().map_err(|_| Rejection::SessionUnknown)?;
    let session = hub.sessions.get(id, parts.extensions.get(), now());
    session.ok_or(Rejection::SessionUnknown)
}

fn message_came(
    hub: &Hub,
    session: Arc<Session>,
    parts: Parts,
    peer_addr: SocketAddr,
    message: Message<'_>,
) {
    match message {
        Message::Request { id, method, params } => {
            let stream = Arc::clone(session.standalone());
            let exchange = Exchange {
                arrival: Arrival {
                    parts,
                    peer_addr: Some(peer_addr),
                },
                session: Some(Arc::clone(&session)),
                stream: Arc::clone(&stream),
            };
            let peer = Peer::over(Arc::new(exchange));
            let call = Call {
                id: &id,
                method: &method,
                params,
                peer: &peer,
                conversation: session.conversation(),
            };
            let sink = Sink::Shared(Arc::clone(&stream));
            let limit = hub.options.max_in_flight;
            if let Some((_, answer)) = session.request(&hub.server, call, &sink, limit) {
                stream.push(answer);
            }
        }
        Message::Notification { method, params } => session.notification(&method, params),
        Message::Response { id, outcome } => session.answered(id.as_ref(), outcome),
    }
}
