//! One TCP connection of a server that listens by itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower_service::Service as _;

use super::body::ResponseBody;
use super::legacy;
use super::rejection::Rejection;
use super::response;
use super::service::HttpService;

/// What is served at an address: MCP at one path, and the server's health.
#[derive(Clone)]
pub(super) struct Site {
    shared: Arc<Shared>,
}

struct Shared {
    service: HttpService,
    path: String,
    /// Whether the transport of 2024-11-05 is served as well.
    sse: bool,
    builder: Builder<TokioExecutor>,
}

/// Where load balancers ask whether the server takes requests.
const HEALTH: &str = "/health";

impl Site {
    pub(super) fn new(
        service: HttpService,
        path: String,
        sse: bool,
        head_timeout: Duration,
    ) -> Self {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(head_timeout);
        builder.http2().timer(TokioTimer::new());
        Self {
            shared: Arc::new(Shared {
                service,
                path,
                sse,
                builder,
            }),
        }
    }

    pub(super) fn service(&self) -> &HttpService {
        &self.shared.service
    }

    async fn answer(
        self,
        request: Request<Incoming>,
        addr: SocketAddr,
    ) -> Result<Response<ResponseBody>, Infallible> {
        let path = request.uri().path();
        if path == self.shared.path {
            return self.service().for_peer(addr).call(request).await;
        }
        if path == HEALTH && request.method() == Method::GET {
            return Ok(self.health());
        }
        if self.shared.sse && (path == legacy::STREAM || path == legacy::MESSAGES) {
            let (parts, body) = request.into_parts();
            let served = legacy::serve(&self.service().hub, parts, body, addr).await;
            return Ok(served.unwrap_or_else(Rejection::response));
        }
        Ok(Rejection::Path.response())
    }

    fn health(&self) -> Response<ResponseBody> {
        let (status, text) = if self.service().hub.is_ending() {
            (StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"ending"}"#)
        } else {
            (StatusCode::OK, r#"{"status":"ok"}"#)
        };
        response::json(status, text.as_bytes().to_vec())
    }
}

/// Serves a connection until it is closed or, once the server ends, until its requests in flight
/// are answered.
pub(super) async fn serve(
    site: Site,
    stream: TcpStream,
    addr: SocketAddr,
    mut ending: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it was served");
        return;
    }
    let shared = Arc::clone(&site.shared);
    let answer = service_fn(move |request| site.clone().answer(request, addr));
    let connection = shared
        .builder
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        outcome = connection.as_mut() => Some(outcome),
        Ok(_) = ending.wait_for(|ending| *ending) => None,
    };
    let outcome = match ended {
        Some(outcome) => outcome,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended badly");
    }
}
