//! A gateway that sends lines over a WebSocket, and returns the answers as lines.

use std::net::SocketAddr;

use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::websocket::{websocket, websocket_server};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

use super::pump;
use crate::support::faults::{Bytes, next_seed, relay};
use crate::support::over::{Line, Over};

pub(crate) struct WebSocket;

impl Over for WebSocket {
    // A WebSocket closes both directions together.
    const CLOSES_BY_HALVES: bool = false;
    const TAKES_BYTES: bool = false;

    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, serve(server, theirs))
    }
}

/// A WebSocket whose bytes arrive in pieces.
pub(crate) struct DribblingWebSocket;

impl Over for DribblingWebSocket {
    const CLOSES_BY_HALVES: bool = false;
    const TAKES_BYTES: bool = false;

    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let addr = relay(addr, Bytes::Dribble, next_seed()).await;
        (ours, serve_at(server, listener, addr, theirs))
    }
}

fn serve(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    serve_at(server, listener, addr, line)
}

/// Serves at `listener`, which clients reach at `addr`.
fn serve_at(
    server: &Server,
    listener: std::net::TcpListener,
    addr: SocketAddr,
    line: Memory,
) -> JoinHandle<Result<(), ServeError>> {
    let serve = server.serve(websocket_server(listener)).signals(false);
    let shutdown = serve.shutdown_handle();
    let serving = tokio::spawn(serve.into_future());
    tokio::spawn(async move {
        pump::connect(line, websocket(format!("ws://{addr}/"))).await;
        shutdown.shut_down();
        serving.await.unwrap()
    })
}
