//! TCP connections to servers, directly or by way of an HTTP proxy.

use std::error::Error;
use std::io;
use std::iter::successors;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use http::header::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::connection::BoxFuture;
use crate::limits::TCP_KEEP_ALIVE;
use crate::transport::server_address::tls_advice;

/// Opens connections, directly or by way of a proxy.
#[derive(Clone)]
pub(super) struct Connector {
    direct: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Connector {
    pub(super) fn new(proxies: Arc<Matcher>) -> Self {
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        direct.set_nodelay(true);
        direct.set_keepalive(Some(TCP_KEEP_ALIVE));
        Self { direct, proxies }
    }

    /// Returns the credentials for a proxy that forwards requests for `uri`. A proxy that opens a
    /// tunnel gets them when the connection is opened.
    pub(super) fn proxy_authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let plain = uri.scheme_str() == Some("http");
        let intercept = plain.then(|| self.proxies.intercept(uri))?;
        intercept?.basic_auth().cloned()
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = TcpConnection;
    type Error = BoxError;
    type Future = BoxFuture<Result<TcpConnection, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.direct.poll_ready(cx).map_err(BoxError::from)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut direct = self.direct.clone();
        let proxy = self.proxies.intercept(&uri);
        Box::pin(async move {
            let Some(proxy) = proxy else {
                let io = direct.call(uri).await?;
                return Ok(TcpConnection { io, proxied: false });
            };
            let address = proxy.uri().clone();
            let proxied = uri.scheme_str() != Some("https");
            let connected = if address.scheme_str() != Some("http") {
                Err("only proxies over http are supported".into())
            } else if proxied {
                direct.call(address).await.map_err(BoxError::from)
            } else {
                let mut tunnel = Tunnel::new(address, direct);
                if let Some(authorization) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(authorization.clone());
                }
                tunnel.call(uri).await.map_err(BoxError::from)
            };
            let io = connected.map_err(|error| {
                let (cause, proxy) = (root_cause(&*error), authority(proxy.uri()));
                of_kind(cause, format!("the proxy {proxy} does not work: {cause}"))
            })?;
            Ok(TcpConnection { io, proxied })
        })
    }
}

/// An open TCP connection.
pub(super) struct TcpConnection {
    io: TokioIo<TcpStream>,
    /// True if the other end is a proxy, for which requests carry the whole URL.
    proxied: bool,
}

impl Connection for TcpConnection {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.proxied)
    }
}

impl Read for TcpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for TcpConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// Returns the host of a URL, with its port where it has one. The rest may be secret.
pub(super) fn authority(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    match uri.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Describes why a server was not reached: by advice where there is some, else by the root cause.
pub(super) fn connect_error(uri: &Uri, error: &(dyn Error + 'static)) -> io::Error {
    let (cause, server) = (root_cause(error), authority(uri));
    let reason = causes(error).find_map(tls_advice).map(str::to_owned);
    let reason = reason.unwrap_or_else(|| cause.to_string());
    of_kind(cause, format!("{server} can't be reached: {reason}"))
}

/// An error with this text, of the same kind as `cause` if that is one of I/O.
fn of_kind(cause: &(dyn Error + 'static), text: String) -> io::Error {
    let kind = cause.downcast_ref().map(io::Error::kind);
    io::Error::new(kind.unwrap_or(io::ErrorKind::Other), text)
}

fn root_cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    causes(error).last().unwrap_or(error)
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |cause| (*cause).source())
}
