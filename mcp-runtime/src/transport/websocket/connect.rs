//! The client's side: connecting to a URL.

use std::io;

use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::{MaybeTlsStream, connect_async_with_config};

use super::frames::{DEFAULT_LIMIT, config};
use super::{WebSocket, WebSocketReader, WebSocketWriter};
use crate::transport::Transport;

/// A server at `url`, such as `ws://127.0.0.1:8080/mcp`. It is connected to when it is used.
///
/// For `wss` URLs, do the TLS handshake with a stack of your choice, and hand the stream to
/// [`WebSocket::new`].
///
/// ```
/// let transport = mcp_runtime::transport::websocket::websocket("ws://127.0.0.1:8080/mcp");
/// # drop(transport);
/// ```
#[must_use]
pub fn websocket(url: impl Into<String>) -> WebSocketUrl {
    WebSocketUrl {
        url: url.into(),
        headers: Vec::new(),
        max_frame_bytes: DEFAULT_LIMIT,
    }
}

/// A server to connect to; made by [`websocket`].
#[derive(Clone, Debug)]
pub struct WebSocketUrl {
    url: String,
    headers: Vec<(String, String)>,
    max_frame_bytes: usize,
}

impl WebSocketUrl {
    /// Sends a header with the handshake, such as `Authorization`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }
}

impl Transport for WebSocketUrl {
    type Reader = WebSocketReader<MaybeTlsStream<TcpStream>>;
    type Writer = WebSocketWriter<MaybeTlsStream<TcpStream>>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let invalid = |_| io::Error::new(io::ErrorKind::InvalidInput, "the URL is malformed");
        let mut request =
            ClientRequestBuilder::new(self.url.parse().map_err(invalid)?).with_sub_protocol("mcp");
        for (name, value) in self.headers {
            request = request.with_header(name, value);
        }
        let config = config(self.max_frame_bytes);
        let connected = connect_async_with_config(request, Some(config), true).await;
        let (stream, _) = connected.map_err(io::Error::other)?;
        WebSocket::new(stream).open().await
    }
}
