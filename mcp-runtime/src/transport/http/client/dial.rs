//! Connections to servers, directly or by way of a proxy.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::{fmt, io};

use http::Uri;
use http::header::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::fault::authority;
use crate::connection::BoxFuture;
use crate::limits::TCP_KEEP_ALIVE;

/// Opens connections, directly or by way of a proxy.
#[derive(Clone)]
pub(super) struct Dialer {
    direct: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Dialer {
    pub(super) fn new(proxies: Matcher) -> Self {
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        direct.set_nodelay(true);
        direct.set_keepalive(Some(TCP_KEEP_ALIVE));
        Self {
            direct,
            proxies: Arc::new(proxies),
        }
    }

    /// What a proxy that passes on requests for `uri` wants to be told with each of them. One that
    /// only passes on bytes is told when the connection is opened.
    pub(super) fn authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let plain = uri.scheme_str() == Some("http");
        let intercept = plain.then(|| self.proxies.intercept(uri))?;
        intercept?.basic_auth().cloned()
    }
}

type Failure = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Dialer {
    type Response = Dialed;
    type Error = Failure;
    type Future = BoxFuture<Result<Dialed, Failure>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        self.direct.poll_ready(cx).map_err(Failure::from)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut direct = self.direct.clone();
        let proxy = self.proxies.intercept(&uri);
        Box::pin(async move {
            let Some(proxy) = proxy else {
                let io = direct.call(uri).await?;
                return Ok(Dialed { io, proxied: false });
            };
            let fault = |cause: Failure| ProxyFault {
                proxy: authority(proxy.uri()),
                cause,
            };
            if proxy.uri().scheme_str() != Some("http") {
                return Err(fault("only proxies over http are supported".into()).into());
            }
            let proxied = uri.scheme_str() != Some("https");
            let io = match proxied {
                true => direct
                    .call(proxy.uri().clone())
                    .await
                    .map_err(Failure::from),
                false => tunnel(&proxy, direct)
                    .call(uri)
                    .await
                    .map_err(Failure::from),
            };
            let io = io.map_err(fault)?;
            Ok(Dialed { io, proxied })
        })
    }
}

/// A proxy that can't be reached, or does not open the way to the server.
#[derive(Debug)]
pub(super) struct ProxyFault {
    /// Host and port of the proxy.
    proxy: String,
    cause: Failure,
}

impl fmt::Display for ProxyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cause: &(dyn Error + 'static) = &*self.cause;
        while let Some(source) = cause.source() {
            cause = source;
        }
        write!(f, "the proxy {} does not work: {cause}", self.proxy)
    }
}

impl Error for ProxyFault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

fn tunnel(proxy: &Intercept, direct: HttpConnector) -> Tunnel<HttpConnector> {
    let tunnel = Tunnel::new(proxy.uri().clone(), direct);
    match proxy.basic_auth() {
        Some(authorization) => tunnel.with_auth(authorization.clone()),
        None => tunnel,
    }
}

/// An open connection.
pub(super) struct Dialed {
    io: TokioIo<TcpStream>,
    /// Whether requests have to say for which server they are.
    proxied: bool,
}

impl Connection for Dialed {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.proxied)
    }
}

impl Read for Dialed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for Dialed {
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

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, parts)
    }
}
