//! How a server attends to each of its WebSocket clients.

use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderMap, HeaderName, SEC_WEBSOCKET_PROTOCOL};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::limits::{MAX_FRAME_BYTES, WEBSOCKET_PING};
use crate::server::listen::attend;
use crate::server::running::Running;
use crate::transport::http::Arrival;
use crate::transport::websocket::WebSocket;
use crate::transport::websocket::frames::config;

/// How a server attends to each of its clients.
#[derive(Debug)]
pub(super) struct Attendant {
    pub(super) running: Running,
    pub(super) manner: Manner,
}

/// What the user has chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) max_frame_bytes: usize,
    pub(super) ping: Duration,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            max_frame_bytes: MAX_FRAME_BYTES,
            ping: WEBSOCKET_PING,
        }
    }
}

impl Manner {
    pub(super) fn config(&self) -> WebSocketConfig {
        config(self.max_frame_bytes)
    }
}

impl Attendant {
    /// Serves a client until it leaves or the server ends. `arrival` is the request that opened the
    /// connection.
    pub(super) async fn attend<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        mut self,
        stream: WebSocketStream<S>,
        arrival: Arrival,
        ending: watch::Receiver<bool>,
    ) {
        let mut socket = WebSocket::new(stream).ping_every(self.manner.ping);
        socket.goodbye = CloseCode::Away;
        self.running.peer = self.running.peer.identified(Arc::new(arrival));
        attend(socket, self.running, ending).await;
    }
}

/// The subprotocol of MCP.
pub(super) const SUBPROTOCOL: &str = "mcp";

/// Whether a client offers to speak MCP.
pub(super) fn offers_mcp(headers: &HeaderMap) -> bool {
    lists(headers, &SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL)
}

/// Whether a header is a list that has `token` in it.
pub(super) fn lists(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    headers.get_all(name).iter().any(|value| {
        let mut tokens = value.as_bytes().split(|byte| *byte == b',');
        tokens.any(|found| found.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    })
}
