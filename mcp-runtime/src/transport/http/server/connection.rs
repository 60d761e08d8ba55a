//! One TCP connection of a server that listens by itself.

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

use super::body::ResponseBody;
use super::rejection::Rejection;
use super::service::{ConnectionInfo, HttpService, ResponseFuture};
use super::timeout_io::{Activity, Patient};
use super::{guard, metrics, response};
use crate::limits::{LAST_ANSWERS_TIMEOUT, MAX_HTTP2_STREAMS};

/// What is served at an address: MCP at one path, and more beside it.
#[derive(Clone)]
pub(in crate::transport::http) struct Site {
    shared: Arc<Shared>,
}

struct Shared {
    service: HttpService,
    path: String,
    beside: HashMap<String, Route>,
    builder: Builder<TokioExecutor>,
    patience: Patience,
}

/// What is served at one path.
pub(in crate::transport) type Route =
    Box<dyn Fn(Request<Incoming>, &ConnectionInfo) -> ResponseFuture + Send + Sync>;

/// How long clients may take.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport::http) struct Patience {
    /// For the head of a request.
    pub(in crate::transport::http) head: Duration,
    /// For reading on what they are sent.
    pub(in crate::transport::http) write: Duration,
    /// For saying or being told anything at all.
    pub(in crate::transport::http) idle: Duration,
    /// For sending one more request over HTTP/1 once the server ends.
    pub(in crate::transport::http) linger: Duration,
}

/// Where load balancers ask whether the server takes requests.
pub(in crate::transport::http) const HEALTH: &str = "/health";

impl Site {
    pub(in crate::transport::http) fn new(
        service: HttpService,
        path: String,
        beside: impl IntoIterator<Item = (String, Route)>,
        patience: Patience,
    ) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(patience.head);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_HTTP2_STREAMS)
            .keep_alive_interval(patience.idle);
        Self {
            shared: Arc::new(Shared {
                service,
                path,
                beside: beside.into_iter().collect(),
                builder,
                patience,
            }),
        }
    }

    pub(in crate::transport::http) fn service(&self) -> &HttpService {
        &self.shared.service
    }

    async fn answer(
        self,
        request: Request<Incoming>,
        connection: ConnectionInfo,
    ) -> Result<Response<ResponseBody>, Infallible> {
        let version = request.version();
        let mut response = self.routed(request, connection).await?;
        if version < Version::HTTP_2 && self.service().state.is_ending() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response)
    }

    async fn routed(
        &self,
        request: Request<Incoming>,
        connection: ConnectionInfo,
    ) -> Result<Response<ResponseBody>, Infallible> {
        if let Err(rejection) = check_host_header(&request) {
            return Ok(rejection.response());
        }
        let path = request.uri().path();
        if path == self.shared.path {
            return self.service().on(connection).call(request).await;
        }
        if let Some(route) = self.shared.beside.get(path) {
            return route(request, &connection).await;
        }
        let options = &self.service().state.options;
        let checked = guard::check(request.uri(), request.headers(), options);
        Ok(checked.err().unwrap_or(Rejection::Path).response())
    }
}

/// Refuses what RFC 9112 wants refused whatever hosts are allowed (section 3.2).
fn check_host_header(request: &Request<Incoming>) -> Result<(), Rejection> {
    let hosts = request.headers().get_all(HOST).iter().count();
    match (hosts, request.version()) {
        (0, Version::HTTP_11) | (2.., _) => Err(Rejection::HostHeader),
        _ => Ok(()),
    }
}

/// Tells whether requests are taken. Neither `Host` nor `Origin` is checked: probes use the address
/// of a pod, and there is nothing to protect.
pub(in crate::transport::http) fn health(service: HttpService) -> Route {
    Box::new(move |request, _| {
        let response = if request.method() != Method::GET {
            Rejection::Method("GET").response()
        } else if service.state.is_ending() {
            let ending = br#"{"status":"ending"}"#.to_vec();
            response::json(StatusCode::SERVICE_UNAVAILABLE, ending)
        } else {
            response::json(StatusCode::OK, br#"{"status":"ok"}"#.to_vec())
        };
        Box::pin(std::future::ready(Ok(response)))
    })
}

/// Serves a connection until it is closed or idle or, once the server ends, until its requests in
/// flight are answered. Over HTTP/1 an idle connection is not closed at once then: a request may be
/// on its way already, and is answered with 503 and `Connection: close`. HTTP/2 has GOAWAY.
pub(in crate::transport::http) async fn serve(
    site: Site,
    stream: TcpStream,
    addr: SocketAddr,
    mut ending: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it was served");
        return;
    }
    let _counted = metrics::Connection::opened();
    let shared = Arc::clone(&site.shared);
    let patience = shared.patience;
    let activity = Arc::new(Activity::default());
    let io = Patient::new(TokioIo::new(stream), patience, Arc::clone(&activity));
    let connection = site.service().connection(addr);
    let unread = Arc::clone(&connection.unread);
    let busy = Arc::clone(&activity);
    let answer = service_fn(move |request: Request<Incoming>| {
        if request.version() == Version::HTTP_2 {
            busy.note_http2();
        }
        let (site, busy, connection) = (site.clone(), busy.begin(), connection.clone());
        async move {
            let answer = site.answer(request, connection).await;
            drop(busy);
            answer
        }
    });
    let connection = shared.builder.serve_connection_with_upgrades(io, answer);
    let mut connection = pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = drained(&mut ending, &activity, patience.linger) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = activity.ceases(patience.idle) => {
            connection.as_mut().graceful_shutdown();
            // Nothing is in flight that a client which says no more could miss.
            let goodbye = tokio::time::timeout(LAST_ANSWERS_TIMEOUT, connection);
            goodbye.await.unwrap_or(Ok(()))
        }
        () = unread.stalled(patience.write) => {
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
