//! TCP connections to servers, directly or through an HTTP proxy.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::vec;

use http::Uri;
use http::header::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use super::address_rule::AddressRule;
use crate::connection::BoxFuture;
use crate::error::causes;
use crate::layer::BoxError;
use crate::limits::TCP_KEEP_ALIVE;
use crate::transport::server_address::tls_advice;

/// Opens connections, directly or through a proxy.
#[derive(Clone)]
pub(super) struct Connector {
    direct: HttpConnector<Resolver>,
    to_proxies: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Connector {
    /// Creates a connector for hosts whose addresses `rule` allows; without a rule, for all hosts.
    /// Proxies may have any address.
    pub(super) fn new(proxies: Arc<Matcher>, rule: Option<Arc<AddressRule>>) -> Self {
        let dns = GaiResolver::new();
        Self {
            direct: tcp(Resolver { dns, rule }),
            to_proxies: tcp(GaiResolver::new()),
            proxies,
        }
    }

    /// Returns the credentials for a proxy that forwards requests for `uri`. A proxy that opens a
    /// tunnel gets its credentials when the connection is opened.
    pub(super) fn proxy_authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let plain = uri.scheme_str() == Some("http");
        let intercept = plain.then(|| self.proxies.intercept(uri))?;
        intercept?.basic_auth().cloned()
    }
}

/// Creates a client that sends requests over connections of `connector`.
pub(super) fn client(
    tls: ClientConfig,
    connector: Connector,
) -> Client<HttpsConnector<Connector>, String> {
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(connector);
    Client::builder(TokioExecutor::new()).build(https)
}

fn tcp<R>(resolver: R) -> HttpConnector<R> {
    let mut connector = HttpConnector::new_with_resolver(resolver);
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(TCP_KEEP_ALIVE));
    connector
}

/// Resolves hosts, and drops the addresses that a rule refuses.
#[derive(Clone)]
struct Resolver {
    dns: GaiResolver,
    rule: Option<Arc<AddressRule>>,
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<io::Result<Self::Response>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.dns.poll_ready(cx)
    }

    fn call(&mut self, host: Name) -> Self::Future {
        let found = self.dns.call(host.clone());
        let rule = self.rule.clone();
        Box::pin(async move {
            let found = found.await?.collect();
            let kept = match rule {
                Some(rule) => rule.keep_allowed(host.as_str(), found)?,
                None => found,
            };
            Ok(kept.into_iter())
        })
    }
}

impl Service<Uri> for Connector {
    type Response = TcpConnection;
    type Error = BoxError;
    type Future = BoxFuture<Result<TcpConnection, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.direct.poll_ready(cx).map_err(BoxError::from)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut direct = self.direct.clone();
        let mut to_proxies = self.to_proxies.clone();
        let proxy = self.proxies.intercept(&uri);
        Box::pin(async move {
            let Some(proxy) = proxy else {
                let io = direct.call(uri).await?;
                let end = End::Server;
                return Ok(TcpConnection { io, end });
            };
            let address = proxy.uri().clone();
            let end = match uri.scheme_str() {
                Some("https") => End::Tunnel,
                _ => End::Proxy,
            };
            let connected = if address.scheme_str() != Some("http") {
                Err("only proxies over http are supported".into())
            } else if end == End::Proxy {
                to_proxies.call(address).await.map_err(BoxError::from)
            } else {
                let mut tunnel = Tunnel::new(address, to_proxies);
                if let Some(authorization) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(authorization.clone());
                }
                tunnel.call(uri).await.map_err(BoxError::from)
            };
            let io = connected.map_err(|error| {
                let cause = causes(&*error).last().unwrap_or(&*error);
                let proxy = authority(proxy.uri());
                of_kind(cause, format!("the proxy {proxy} does not work: {cause}"))
            })?;
            Ok(TcpConnection { io, end })
        })
    }
}

pub(super) struct TcpConnection {
    io: TokioIo<TcpStream>,
    end: End,
}

/// The other end of a TCP connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Server,
    /// A proxy that forwards requests. The requests carry the whole URL.
    Proxy,
    /// A proxy that has opened a tunnel to the server.
    Tunnel,
}

impl Connection for TcpConnection {
    fn connected(&self) -> Connected {
        match self.end {
            // This includes the server's address.
            End::Server => self.io.inner().connected(),
            End::Proxy => Connected::new().proxy(true),
            End::Tunnel => Connected::new(),
        }
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

/// Returns the host of a URL, with its port if it has one. The rest of the URL may be secret.
pub(super) fn authority(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    match uri.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Describes why a server was not reached, with advice if there is any, else with the root cause.
pub(super) fn connect_error(uri: &Uri, error: &(dyn Error + 'static)) -> io::Error {
    let cause = causes(error).last().unwrap_or(error);
    let server = authority(uri);
    let advice = tls_advice(error).or_else(|| causes(error).find_map(tls_advice));
    let reason = advice.map_or_else(|| cause.to_string(), str::to_owned);
    of_kind(cause, format!("{server} can't be reached: {reason}"))
}

/// Creates an error with this text. It has the same kind as `cause` if that is an I/O error.
fn of_kind(cause: &(dyn Error + 'static), text: String) -> io::Error {
    let kind = cause.downcast_ref().map(io::Error::kind);
    io::Error::new(kind.unwrap_or(io::ErrorKind::Other), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_are_checked_after_they_are_resolved() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let uri: Uri = format!("http://localhost:{port}/").parse().unwrap();
        for (server, is_reached) in [
            ("https://mcp.example.com/", false),
            ("http://localhost/", true),
        ] {
            let rule = AddressRule::new(&server.parse().unwrap(), Vec::new());
            let proxies = Arc::new(Matcher::builder().build());
            let mut connector = Connector::new(proxies, Some(Arc::new(rule)));
            match connector.call(uri.clone()).await {
                Ok(_) => assert!(is_reached, "{server}"),
                Err(error) => {
                    let error = connect_error(&uri, &*error);
                    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
                    assert!(!is_reached, "{server}");
                }
            }
        }
    }
}
