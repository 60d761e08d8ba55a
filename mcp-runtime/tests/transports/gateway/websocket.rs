//! A gateway: what comes in as lines goes on over a WebSocket, and comes back as lines.

use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::websocket::{websocket, websocket_server};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

use super::pump;
use crate::support::over::{Line, Over};

/// WebSocket.
pub(crate) struct WebSocket;

impl Over for WebSocket {
    // It is closed in both directions at once.
    const CLOSES_BY_HALVES: bool = false;
    const TAKES_BYTES: bool = false;

    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, serve(server, theirs))
    }
}

fn serve(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let serve = server.serve(websocket_server(listener)).signals(false);
    let shutdown = serve.shutdown_handle();
    let serving = tokio::spawn(serve.into_future());
    tokio::spawn(async move {
        pump::connect(line, websocket(format!("ws://{addr}/"))).await;
        shutdown.shut_down();
        serving.await.unwrap()
    })
}
