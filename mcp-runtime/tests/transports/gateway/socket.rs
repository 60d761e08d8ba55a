//! A gateway that sends lines over a socket, and returns the answers as lines.

use mcp_runtime::server::Endpoint;
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::socket::tcp_client;
use mcp_runtime::transport::{Transport, tcp};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

use super::pump;
use crate::support::clock::until;
use crate::support::faults::{Bytes, next_seed, relay};
use crate::support::over::{Line, Over};

pub(crate) struct Tcp;

impl Over for Tcp {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, serve_tcp(server, theirs).await)
    }
}

#[cfg(unix)]
pub(crate) struct Unix;

#[cfg(unix)]
impl Over for Unix {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, serve_unix(server, theirs))
    }
}

/// TCP whose bytes arrive in pieces.
pub(crate) struct DribblingTcp;

impl Over for DribblingTcp {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let endpoint = tcp("127.0.0.1:0").bind().await.unwrap();
        let addr = endpoint.local_addr().unwrap();
        let client = tcp_client(relay(addr, Bytes::Dribble, next_seed()).await);
        (ours, serve(server, endpoint, theirs, client))
    }
}

async fn serve_tcp(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let endpoint = tcp("127.0.0.1:0").bind().await.unwrap();
    let client = tcp_client(endpoint.local_addr().unwrap());
    serve(server, endpoint, line, client)
}

#[cfg(unix)]
fn serve_unix(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    use mcp_runtime::transport::socket::unix_client;
    use mcp_runtime::transport::unix;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let endpoint = unix(&path);
    let serving = serve_when(server, endpoint, line, unix_client(&path), move || {
        path.exists()
    });
    tokio::spawn(async move {
        let served = serving.await.unwrap();
        drop(directory);
        served
    })
}

fn serve(
    server: &Server,
    endpoint: impl Endpoint,
    line: Memory,
    client: impl Transport,
) -> JoinHandle<Result<(), ServeError>> {
    serve_when(server, endpoint, line, client, || true)
}

/// Starts the server, and connects once it is `ready`.
fn serve_when(
    server: &Server,
    endpoint: impl Endpoint,
    line: Memory,
    client: impl Transport,
    ready: impl Fn() -> bool + Send + 'static,
) -> JoinHandle<Result<(), ServeError>> {
    let serve = server.serve(endpoint).signals(false);
    let shutdown = serve.shutdown_handle();
    let serving = tokio::spawn(serve.into_future());
    tokio::spawn(async move {
        until("the server listens", ready).await;
        pump::connect(line, client).await;
        shutdown.shut_down();
        serving.await.unwrap()
    })
}
