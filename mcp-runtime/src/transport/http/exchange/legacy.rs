//! HTTP+SSE, the transport of revision 2024-11-05, together with Streamable HTTP or alone.
//!
//! The client opens one stream for all messages of the server, and posts its own messages to the
//! address in the first event of the stream.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Body;
use mcp_types::jsonrpc::{Frame, InvalidMessage};
use tower_service::Service;

use crate::connection::{ReplyTo, now};
use crate::deprecations;
use crate::error::{Rejection, RequestError};
use crate::transport::http::exchange::event_stream::EventStream;
use crate::transport::http::exchange::exchange::Exchange;
use crate::transport::http::exchange::expiry::Access;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::headers;
use crate::transport::http::server::access::{authorize, cors_origin};
use crate::transport::http::server::admission::ResponseHeaders;
use crate::transport::http::server::body::ResponseBody;
use crate::transport::http::server::connection::Route;
use crate::transport::http::server::listener::Http;
use crate::transport::http::server::service::{
    HttpService, ResponseFuture, admit, finish, other_method,
};
use crate::transport::http::server::state::{Arrival, ConnectionInfo, HttpState};
use crate::transport::http::server::{body, response};
use crate::transport::http::session::{Delivery, HttpSession, SessionId, Sessions};

impl Http {
    /// Also serves clients of revision 2024-11-05, over HTTP+SSE. They open `/sse`, which tells
    /// them to POST to `/messages`.
    #[deprecated(
        note = "HTTP+SSE is deprecated since 2025-03-26 (SEP-2596), and may be removed three months after SEP-2596 is final: \
                use Streamable HTTP"
    )]
    #[expect(deprecated, reason = "the same part of the protocol")]
    pub fn with_sse(self) -> Self {
        let route = |service: &HttpService| -> Route {
            let service = service.sse("/messages");
            Box::new(move |request, connection| {
                let mut service = service.clone();
                service.service.connection = connection.clone();
                service.call(request)
            })
        };
        self.with_route("with_sse", "/sse".to_owned(), route)
            .with_route("with_sse", "/messages".to_owned(), route)
    }
}

impl HttpService {
    /// Returns a service for the same server over HTTP+SSE, for clients of revision 2024-11-05. GET
    /// opens their stream, and POST receives their messages.
    ///
    /// Mount the service at the path where clients open the stream, and at `messages`, the path to
    /// which clients post their messages, as clients see it. Both may be the same path.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::transport::http::{HttpOptions, http_service};
    ///
    /// let mcp = http_service(Server::builder().build(), HttpOptions::default());
    /// let sse = mcp.sse("/messages");
    /// // With axum: Router::new()
    /// //     .route_service("/mcp", mcp)
    /// //     .route_service("/sse", sse.clone())
    /// //     .route_service("/messages", sse)
    /// # drop((mcp, sse));
    /// ```
    #[must_use]
    #[deprecated(
        note = "HTTP+SSE is deprecated since 2025-03-26 (SEP-2596), and may be removed three months after SEP-2596 is final: \
                use Streamable HTTP"
    )]
    pub fn sse(&self, messages: impl Into<String>) -> SseService {
        deprecations::HTTP_SSE.warn();
        SseService {
            service: self.clone(),
            messages: messages.into().into(),
        }
    }
}

/// A server for clients of revision 2024-11-05; made by [`HttpService::sse`]. Clones share all
/// state.
#[derive(Clone, Debug)]
pub struct SseService {
    service: HttpService,
    messages: Arc<str>,
}

async fn serve<B: Body>(
    service: &HttpService,
    messages: &str,
    mut parts: Box<Parts>,
    body: B,
    added: &mut Option<Box<HeaderMap>>,
) -> Result<Response<ResponseBody>, Rejection> {
    let state = &*service.state;
    let connection = &service.connection;
    admit(state, &parts)?;
    let peer_addr = connection.peer_addr;
    authorize(&state.options, &state.permits, &mut parts, peer_addr).await?;
    *added = ResponseHeaders::take(&mut parts);
    match parts.method {
        Method::GET => open(state, &parts, messages, connection),
        Method::POST => post(state, parts, body, connection).await,
        _ => other_method(state, &parts, "GET, POST"),
    }
}

impl<B> Service<Request<B>> for SseService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let (parts, body) = request.into_parts();
        let Self { service, messages } = self.clone();
        Box::pin(async move {
            let origin = cors_origin(&parts.headers, &service.state.options);
            let mut added = None;
            let served = serve(&service, &messages, Box::new(parts), body, &mut added).await;
            Ok(finish(served, added, origin, &service.connection.unread))
        })
    }
}

/// Opens a session that lasts as long as its stream.
fn open(
    state: &HttpState,
    parts: &Parts,
    messages: &str,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::accepts(&parts.headers, headers::EVENT_STREAM) {
        return Err(Rejection::Accept);
    }
    let owner = parts.extensions.get().cloned();
    let id = SessionId::random().map_err(|error| state.unavailable(error))?;
    let stream = Stream::new(0, None).counting(&connection.unread);
    let session = Arc::new(state.session_called(id, owner, stream)?);
    state.sessions.add(&session, now())?;
    let stream = Arc::clone(&session.standalone);
    let access = Access::of(parts, state.options.auth_timeout);
    let mut events = EventStream::new(stream, None, &state.options).until(access, Some(&session));
    events.record(session.recorder(|| state.server.recorder()).clone());
    let ends = Ends {
        sessions: Arc::clone(&state.sessions),
        id,
        _session: session,
    };
    let endpoint = format!("event: endpoint\ndata: {messages}?session_id={id}\n\n");
    let events = events
        .beginning_with(endpoint.into())
        .holding(Arc::new(ends));
    Ok(response::events(events))
}

/// Ends a session when its stream is closed.
struct Ends {
    sessions: Arc<Sessions>,
    id: SessionId,
    /// Holding the session marks it as in use.
    _session: Arc<HttpSession>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.sessions.end(self.id);
    }
}

/// Receives a message. Answers to it go to the stream.
async fn post<B: Body>(
    state: &HttpState,
    parts: Box<Parts>,
    body: B,
    connection: &ConnectionInfo,
) -> Result<Response<ResponseBody>, Rejection> {
    if !headers::is_json(&parts.headers) {
        return Err(Rejection::ContentType);
    }
    let session = session(state, &parts)?;
    let peer_addr = connection.peer_addr;
    let arrival = Arrival { parts, peer_addr };
    let limit = state.options.max_body_bytes;
    let (bytes, _permit) = body::read(body, limit, state, &arrival, session.failing()).await?;
    if let Some(unread) = &session.standalone.unread {
        state.room(unread).await?;
    }
    let recorder = session.recorder(|| state.server.recorder());
    recorder.received(&bytes);
    let depth = state.options.limits.max_depth;
    let member = match Frame::parse_with_max_depth(&bytes, depth) {
        Ok(Frame::Single(message)) => Ok(message),
        Ok(Frame::Batch(_)) => Err(InvalidMessage {
            id: None,
            has_method: false,
            error: RequestError::NoBatches("this transport".into()).to_error(),
        }),
        Err(invalid) => Err(invalid),
    };
    let stream = Arc::clone(&session.standalone);
    let delivery = Delivery {
        server: &state.server,
        permits: &state.permits,
        auth_timeout: state.options.auth_timeout,
        exchange: Arc::new(Exchange::new(
            arrival,
            Some(Arc::clone(&session)),
            Arc::clone(&stream),
        )),
        reply: ReplyTo {
            to: stream,
            batch: None,
        },
        params: None,
    };
    if let Some((status, answer)) = session.receive(member, &delivery) {
        if delivery.exchange.is_denied() {
            recorder.sent(&answer);
            return Ok(delivery.exchange.response(status, answer));
        }
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
    session.lock().last_used = now();
    Ok(session)
}
