//! The client's side of WebSocket: connecting to a URL.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{Connector, MaybeTlsStream, connect_async_tls_with_config};

use super::frames::{WebSocket, WebSocketReader, WebSocketWriter, config};
use crate::connection::frame_limit;
use crate::limits::{MAX_FRAME_BYTES, WEBSOCKET_PING};
use crate::transport::server_address::{ServerAddress, tls_advice, tls_config};
use crate::transport::{Transport, UrlTransport};

/// Connects to a server at `url`, such as `ws://127.0.0.1:8080/mcp`, when the transport is opened.
/// User information in the URL is sent as `Authorization: Basic`, unless that header is set
/// explicitly.
///
/// The certificates of `wss` servers are checked against the roots of the Mozilla project and the
/// roots that are added. A lost connection is opened again.
///
/// ```
/// let transport = mcp_runtime::transport::websocket::websocket("ws://127.0.0.1:8080/mcp");
/// # drop(transport);
/// ```
#[must_use]
pub fn websocket(url: impl Into<String>) -> WebSocketUrl {
    WebSocketUrl {
        server: ServerAddress::new(url.into()),
        max_frame_bytes: MAX_FRAME_BYTES,
        ping: WEBSOCKET_PING,
    }
}

/// A server to connect to; made by [`websocket`].
#[derive(Clone, Debug)]
pub struct WebSocketUrl {
    server: ServerAddress,
    max_frame_bytes: usize,
    ping: Duration,
}

frame_limit!(WebSocketUrl, max_frame_bytes);

impl WebSocketUrl {
    /// Sends a header with the handshake, such as `Authorization`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.server.add_header(name.into(), value.into());
        self
    }

    /// Sets how often the server gets a ping; every 30 seconds by default. The connection is closed
    /// if nothing has been received since the last ping.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.ping = period;
        self
    }

    /// Trusts an additional root certificate in DER, such as the root of an organization.
    #[must_use]
    pub fn root_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.server.roots.added.push(der.into());
        self
    }

    /// Trusts only the certificates added with [`root_certificate`](Self::root_certificate), not
    /// the roots of the Mozilla project.
    #[must_use]
    pub fn without_default_roots(mut self) -> Self {
        self.server.roots.only_added = true;
        self
    }
}

impl Transport for WebSocketUrl {
    type Reader = WebSocketReader<MaybeTlsStream<TcpStream>>;
    type Writer = WebSocketWriter<MaybeTlsStream<TcpStream>>;

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (uri, mut headers) = self.server.target(UrlTransport::WebSocket)?;
        let mut request = uri.into_client_request().map_err(io::Error::other)?;
        let subprotocol = HeaderValue::from_static("mcp");
        headers.insert(SEC_WEBSOCKET_PROTOCOL, subprotocol);
        request.headers_mut().extend(headers);
        let config = config(self.max_frame_bytes);
        let tls = Connector::Rustls(Arc::new(tls_config(&self.server.roots)?));
        let connected = connect_async_tls_with_config(request, Some(config), true, Some(tls)).await;
        let (stream, _) = connected.map_err(explained)?;
        WebSocket::new(stream).ping_every(self.ping).open().await
    }
}

/// Explains why connecting failed, with advice where the cause is known.
fn explained(error: Error) -> io::Error {
    let advice = match &error {
        Error::Io(fault) => tls_advice(fault).map(str::to_owned),
        Error::Http(response) => Some(format!(
            "the server does not open a WebSocket at this URL (HTTP {}): if it serves HTTP there, use \
             `http` or `https`",
            response.status()
        )),
        _ => None,
    };
    advice.map_or_else(|| io::Error::other(error), io::Error::other)
}
