//! Clients and servers whose connections break off and whose messages are duplicated, driven by a
//! seed.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_runtime::client::Reconnect;
use mcp_runtime::prelude::*;
use mcp_runtime::server::ShutdownHandle;
use mcp_runtime::transport::http::http;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::transport::socket::tcp_client;
use mcp_runtime::transport::tcp;
use mcp_runtime::transport::websocket::{websocket, websocket_server};
use mcp_runtime::{CallError, Client, ClientBuilder, ConnectError, Era, ServeError};
use serde_json::json;
use tokio::task::{JoinHandle, JoinSet};

use crate::support::clock::in_time;
use crate::support::faults::{Bytes, meddle, relay, seeds};

struct Echo;

#[mcp_server(undocumented = "allow")]
impl Echo {
    #[tool]
    async fn echo(&self, text: String) -> String {
        tokio::task::yield_now().await;
        text
    }
}

struct Site {
    addr: SocketAddr,
    shutdown: ShutdownHandle,
    serving: JoinHandle<Result<(), ServeError>>,
}

/// A transport whose server listens for clients.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Tcp,
    WebSocket,
    Http,
}

impl Kind {
    async fn serve(self) -> Site {
        let server = Echo.into_server();
        let drain = Duration::from_millis(100);
        let (addr, serve) = match self {
            Self::Tcp => {
                let endpoint = tcp("127.0.0.1:0").bind().await.unwrap();
                let addr = endpoint.local_addr().unwrap();
                let serve = server.serve(endpoint).drain_timeout(drain).signals(false);
                let shutdown = serve.shutdown_handle();
                let serving = tokio::spawn(serve.into_future());
                return Site {
                    addr,
                    shutdown,
                    serving,
                };
            }
            kind => {
                let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
                (listener.local_addr().unwrap(), (kind, listener))
            }
        };
        let (serving, shutdown) = match serve {
            (Self::Http, listener) => {
                let serve = server.serve(http(listener)).drain_timeout(drain);
                let serve = serve.signals(false);
                let shutdown = serve.shutdown_handle();
                (tokio::spawn(serve.into_future()), shutdown)
            }
            (_, listener) => {
                let serve = server.serve(websocket_server(listener));
                let serve = serve.drain_timeout(drain).signals(false);
                let shutdown = serve.shutdown_handle();
                (tokio::spawn(serve.into_future()), shutdown)
            }
        };
        Site {
            addr,
            shutdown,
            serving,
        }
    }

    async fn connect(
        self,
        builder: ClientBuilder,
        addr: SocketAddr,
    ) -> Result<Client, ConnectError> {
        match self {
            Self::Tcp => builder.connect_with(move || tcp_client(addr)).await,
            Self::WebSocket => builder.connect(websocket(format!("ws://{addr}/"))).await,
            Self::Http => {
                let server = http_client(format!("http://{addr}/mcp")).without_proxy();
                builder.connect(server).await
            }
        }
    }
}

fn builder(era: Era) -> ClientBuilder {
    let reconnect = Reconnect {
        first_pause: Duration::from_millis(1),
        max_pause: Duration::from_millis(5),
        tries: Some(20),
        ..Reconnect::default()
    };
    Client::builder("test", "1").era(era).reconnect(reconnect)
}

/// Makes several calls at the same time, and checks that each answer belongs to its call.
async fn calls(client: &Client, seed: u64) -> Vec<Result<(), CallError>> {
    let mut calls = JoinSet::new();
    for number in 0..8 {
        let client = client.clone();
        calls.spawn(async move {
            let text = format!("{seed}/{number}");
            let answer = client.call::<String>("echo", json!({"text": text})).await?;
            assert_eq!(answer, text, "the answer belongs to another call");
            Ok(())
        });
    }
    calls.join_all().await
}

/// Checks that nothing hangs, that no answer belongs to another call, and that the server still
/// serves the next client.
async fn breaks_off(kind: Kind, era: Era, seed: u64) {
    let site = kind.serve().await;
    let connections = 1 + seed % 4;
    let addr = relay(site.addr, Bytes::CutFirst(connections), seed).await;
    let mut connected = in_time(kind.connect(builder(era), addr)).await;
    while let Err(error) = connected {
        tracing::debug!(%error, "the connection broke off");
        connected = in_time(kind.connect(builder(era), addr)).await;
    }
    let client = connected.unwrap();
    for _ in 0..4 {
        in_time(calls(&client, seed)).await;
    }
    // From here on, connections no longer break off.
    let mut outcome = Vec::new();
    for _ in 0..10 {
        outcome = in_time(calls(&client, seed)).await;
        if outcome.iter().all(Result::is_ok) {
            break;
        }
    }
    assert!(outcome.iter().all(Result::is_ok), "{outcome:?}");
    in_time(client.close()).await;
    let next = in_time(kind.connect(builder(era), site.addr))
        .await
        .unwrap();
    assert!(in_time(calls(&next, seed)).await.iter().all(Result::is_ok));
    in_time(next.close()).await;
    site.shutdown.shut_down();
    in_time(site.serving).await.unwrap().unwrap();
}

async fn break_off(kind: Kind) {
    for seed in seeds(2) {
        for era in [Era::Handshake, Era::Stateless] {
            let run = tokio::spawn(breaks_off(kind, era, seed)).await;
            assert!(run.is_ok(), "MCP_TEST_SEED={seed}: {kind:?}, {era:?}");
        }
    }
}

#[tokio::test]
async fn connections_that_break_off_over_tcp() {
    break_off(Kind::Tcp).await;
}

#[tokio::test]
async fn connections_that_break_off_over_websocket() {
    break_off(Kind::WebSocket).await;
}

#[tokio::test]
async fn connections_that_break_off_over_http() {
    break_off(Kind::Http).await;
}

/// A server keeps working even if all connections break off, and so does its client.
#[tokio::test]
async fn nothing_hangs_where_every_connection_breaks_off() {
    for kind in [Kind::Tcp, Kind::WebSocket, Kind::Http] {
        for seed in seeds(1) {
            let site = kind.serve().await;
            let addr = relay(site.addr, Bytes::Cut, seed).await;
            for era in [Era::Handshake, Era::Stateless] {
                let builder = builder(era).without_reconnect();
                if let Ok(client) = in_time(kind.connect(builder, addr)).await {
                    in_time(calls(&client, seed)).await;
                    in_time(client.close()).await;
                }
                let next = self::builder(era);
                let next = in_time(kind.connect(next, site.addr)).await.unwrap();
                let outcome = in_time(calls(&next, seed)).await;
                let is_served = outcome.iter().all(Result::is_ok);
                assert!(is_served, "MCP_TEST_SEED={seed}: {kind:?}, {era:?}");
                in_time(next.close()).await;
            }
            site.shutdown.shut_down();
            in_time(site.serving).await.unwrap().unwrap();
        }
    }
}

async fn meddled(era: Era, seed: u64) {
    let (ours, theirs, meddling) = meddle(seed);
    let serve = Echo.into_server().serve(theirs).signals(false);
    let serving = tokio::spawn(serve.into_future());
    let client = in_time(builder(era).connect(ours)).await.unwrap();
    for _ in 0..4 {
        for outcome in in_time(calls(&client, seed)).await {
            match outcome {
                // A duplicated request is refused while the first is in flight. An answer whose
                // `id` is a string fails the request with that number.
                Ok(()) | Err(CallError::Rpc(_) | CallError::Malformed { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    in_time(client.close()).await;
    in_time(meddling).await.unwrap();
    in_time(serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn answers_that_come_twice_or_for_nobody_change_no_other_answer() {
    for seed in seeds(50) {
        for era in [Era::Handshake, Era::Stateless] {
            let run = tokio::spawn(meddled(era, seed)).await;
            assert!(run.is_ok(), "MCP_TEST_SEED={seed}: {era:?}");
        }
    }
}
