//! One TCP connection of a server that listens by itself, and the routing of its requests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CONNECTION, HOST, HeaderValue};
use http::{Method, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower_service::Service as _;

use super::access::check_caller;
use super::body::ResponseBody;
use super::response::{self, Rejection};
use super::service::{ConnectionInfo, HttpService, OpenConnection, ResponseFuture};
use super::timeout_io::{Activity, TimeoutIo};
use crate::limits::{LAST_ANSWERS_TIMEOUT, MAX_HTTP2_STREAMS};

/// The routes of a server at an address: MCP at `path`, `/health`, and others.
pub(in crate::transport::http) struct Site {
    pub(in crate::transport::http) service: HttpService,
    pub(in crate::transport::http) path: String,
    pub(in crate::transport::http) routes: HashMap<String, Route>,
    pub(in crate::transport::http) timeouts: ConnectionTimeouts,
}

/// Serves the requests for one path.
pub(in crate::transport) type Route =
    Box<dyn Fn(Request<Incoming>, &ConnectionInfo) -> ResponseFuture + Send + Sync>;

/// Timeouts of one connection.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport::http) struct ConnectionTimeouts {
    /// For the head of a request.
    pub(in crate::transport::http) head: Duration,
    /// For the client to read what it is sent.
    pub(in crate::transport::http) write: Duration,
    /// For a connection without requests and data.
    pub(in crate::transport::http) idle: Duration,
    /// For one more request over HTTP/1 once the server ends.
    pub(in crate::transport::http) linger: Duration,
}

impl Site {
    async fn answer(
        &self,
        request: Request<Incoming>,
        connection: ConnectionInfo,
    ) -> Result<Response<ResponseBody>, Infallible> {
        let version = request.version();
        let mut response = self.route(request, connection).await?;
        if version < Version::HTTP_2 && self.service.state.is_ending() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response)
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        connection: ConnectionInfo,
    ) -> Result<Response<ResponseBody>, Infallible> {
        if let Err(rejection) = check_host_header(&request) {
            return Ok(rejection.response());
        }
        let path = request.uri().path();
        if path == self.path {
            return self.service.on(connection).call(request).await;
        }
        if let Some(route) = self.routes.get(path) {
            return route(request, &connection).await;
        }
        if path == "/health" {
            return Ok(self.health(request.method()));
        }
        let options = &self.service.state.options;
        let checked = check_caller(request.uri(), request.headers(), options);
        Ok(checked.err().unwrap_or(Rejection::Path).response())
    }

    /// Tells load balancers whether requests are taken. Neither `Host` nor `Origin` is checked:
    /// probes use the address of a pod, and there is nothing to protect.
    fn health(&self, method: &Method) -> Response<ResponseBody> {
        if method != Method::GET {
            return Rejection::Method("GET").response();
        }
        match self.service.state.is_ending() {
            true => {
                let ending = br#"{"status":"ending"}"#.to_vec();
                response::json(StatusCode::SERVICE_UNAVAILABLE, ending)
            }
            false => response::json(StatusCode::OK, br#"{"status":"ok"}"#.to_vec()),
        }
    }
}

/// Checks that `Host` is given once, whatever hosts are allowed (RFC 9112, section 3.2).
fn check_host_header(request: &Request<Incoming>) -> Result<(), Rejection> {
    let hosts = request.headers().get_all(HOST).iter().count();
    match (hosts, request.version()) {
        (0, Version::HTTP_11) | (2.., _) => Err(Rejection::HostHeader),
        _ => Ok(()),
    }
}

fn builder(timeouts: ConnectionTimeouts) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_HTTP2_STREAMS)
        .keep_alive_interval(timeouts.idle);
    builder
}

/// Serves a connection until it is closed or idle or, once the server ends, until its requests in
/// flight are answered. Over HTTP/1 an idle connection is not closed at once then: a request may be
/// on its way already, and is answered with 503 and `Connection: close`. HTTP/2 has GOAWAY.
pub(in crate::transport::http) async fn serve(
    site: Arc<Site>,
    stream: TcpStream,
    addr: SocketAddr,
    mut ending: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it was served");
        return;
    }
    let _counted = OpenConnection::new();
    let timeouts = site.timeouts;
    let activity = Arc::new(Activity::default());
    tokio::select! {
        begun = tokio::time::timeout(timeouts.head, stream.readable()) => if begun.is_err() {
            return tracing::debug!("a connection was closed on which nothing came");
        },
        () = drained(&mut ending, &activity, timeouts.linger) => return,
    }
    let io = TimeoutIo::new(TokioIo::new(stream), timeouts.write, Arc::clone(&activity));
    let connection = site.service.connection(addr);
    let unread = Arc::clone(&connection.unread);
    let busy = Arc::clone(&activity);
    let answer = service_fn(move |request: Request<Incoming>| {
        if request.version() == Version::HTTP_2 {
            busy.note_http2();
        }
        let (site, busy, connection) = (Arc::clone(&site), busy.begin(), connection.clone());
        async move {
            let answer = site.answer(request, connection).await;
            drop(busy);
            answer
        }
    });
    let builder = builder(timeouts);
    let mut connection = pin!(builder.serve_connection_with_upgrades(io, answer));
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = drained(&mut ending, &activity, timeouts.linger) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = activity.idle(timeouts.idle) => {
            connection.as_mut().graceful_shutdown();
            // Nothing is in flight that a client which says no more could miss.
            let goodbye = tokio::time::timeout(LAST_ANSWERS_TIMEOUT, connection);
            goodbye.await.unwrap_or(Ok(()))
        }
        () = unread.stalled(timeouts.write) => {
            tracing::debug!("a connection was closed whose client does not read an answer");
            return;
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended badly");
    }
}

/// Waits until the server ends, and over HTTP/1 for `linger` more.
async fn drained(ending: &mut watch::Receiver<bool>, activity: &Activity, linger: Duration) {
    // The sender lives as long as the server.
    let _ = ending.wait_for(|ending| *ending).await;
    if !activity.is_http2() {
        tokio::time::sleep(linger).await;
    }
}
