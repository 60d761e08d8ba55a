//! Limits of proxies, whose servers and clients are in memory.

use std::future::pending;
use std::io;
use std::time::Duration;

use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::{FrameWriter, Outbox, Transport};
use mcp_runtime::{Era, Server};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::behind::{Behind, asked, introduced, proxy, session, upstream, upstream_after};
use crate::support::scripted::Scripted;
use crate::support::{Wire, request, stateless};
use crate::wire::SECOND;

driven! {
    MAX_PROXY_CONNECTIONS by max_proxy_connections,
    MAX_PARKED_CALLS by max_parked_calls,
    PARKED_CALL by parked_call,
    PROXY_CLOSE by proxy_close,
    PROXY_IDLE by proxy_idle,
    PROXY_LOGIN_WAIT by proxy_login_wait,
    PROXY_RECONNECT_PAUSE by proxy_reconnect_pause,
}

fn shop(name: &str, more: Value) -> Value {
    let mut params = more;
    params["name"] = name.into();
    asked(1, "tools/call", params, json!({"roots": {}}))
}

/// Calls a tool whose server asks the client, so that the call waits for the retry. Returns the
/// server, which the call has to itself, the id of the call there, and the ticket.
async fn park(wire: &mut Wire, behind: &mut Behind, name: &str) -> (Scripted, Value, Value) {
    wire.send(shop(name, json!({}))).await;
    let mut server = behind.operating().await;
    let (id, _) = server.expect("tools/call").await;
    server.send(request("q", "roots/list", json!({}))).await;
    let required = wire.answer().await;
    (server, id, required["result"]["requestState"].clone())
}

async fn max_proxy_connections() {
    tokio::time::pause();
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let mut parked = Vec::new();
    for _ in 0..100 {
        parked.push(park(&mut wire, &mut behind, "shop").await);
    }
    let refused = wire.ask(shop("shop", json!({}))).await;
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("All 100 connections"), "{message}");
    let (server, _, ticket) = &mut parked[0];
    let responses = json!({"1": {"roots": []}});
    let retry = json!({"requestState": ticket, "inputResponses": responses});
    wire.send(shop("shop", retry)).await;
    assert_eq!(server.next().await.unwrap()["id"], "q");
}

async fn max_parked_calls() {
    tokio::time::pause();
    // Each server has at most 100 connections.
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    let (upstreams, mut behind): (Vec<_>, Vec<_>) =
        names.map(|_| upstream(Era::Handshake)).into_iter().unzip();
    let proxy = Proxy::several(names.into_iter().zip(upstreams)).into_server();
    let mut wire = Wire::to(&proxy).await;
    let mut parked = Vec::new();
    for number in 0..1000 {
        let place = number / 100;
        let tool = format!("{}_shop", names[place]);
        parked.push(park(&mut wire, &mut behind[place], &tool).await);
    }
    let in_silence = timeout(SECOND, parked[0].0.next());
    in_silence.await.unwrap_err();
    let last = park(&mut wire, &mut behind[10], "k_shop").await;
    let cancelled = timeout(SECOND, parked[0].0.expect("notifications/cancelled"));
    cancelled.await.unwrap();
    let in_silence = timeout(SECOND, parked[1].0.next());
    in_silence.await.unwrap_err();
    drop(last);
}

async fn parked_call() {
    tokio::time::pause();
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let (mut server, id, ticket) = park(&mut wire, &mut behind, "shop").await;
    let before = Instant::now();
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(before.elapsed().as_secs(), 10 * 60);
    assert_eq!(params["requestId"], id);
    let answer = wire.ask(shop("shop", json!({"requestState": ticket}))).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// A connection whose end takes forever.
struct Unclosable(Memory);

struct UnclosableWriter(<Memory as Transport>::Writer);

impl Transport for Unclosable {
    type Reader = <Memory as Transport>::Reader;
    type Writer = UnclosableWriter;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (reader, writer) = self.0.open().await?;
        Ok((reader, UnclosableWriter(writer)))
    }
}

impl FrameWriter for UnclosableWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        self.0.write(outbox).await
    }

    async fn close(&mut self) -> io::Result<()> {
        pending().await
    }
}

async fn proxy_close() {
    tokio::time::pause();
    let (started, mut servers) = mpsc::unbounded_channel();
    let upstream = Upstream::new(move |client| {
        let (ours, server) = Scripted::pair();
        started.send(server).unwrap();
        client.era(Era::Handshake).connect(Unclosable(ours))
    });
    let mut wire = Wire::to(&Proxy::new(upstream).into_server()).await;
    wire.send(stateless(1, "tools/call", json!({"name": "a"}))).await;
    let mut server = servers.recv().await.unwrap();
    server.shake_hands("2025-11-25").await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, json!({"content": []})).await;
    wire.answer().await;
    let before = Instant::now();
    wire.close().await.unwrap();
    assert_eq!(before.elapsed().as_secs(), 10);
}

async fn proxy_idle() {
    tokio::time::pause();
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    wire.send(stateless(1, "tools/call", json!({"name": "a"}))).await;
    let mut server = behind.operating().await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, json!({"content": []})).await;
    wire.answer().await;
    let before = Instant::now();
    assert_eq!(server.next().await, None);
    assert_eq!(before.elapsed().as_secs(), 5 * 60);
}

async fn proxy_login_wait() {
    tokio::time::pause();
    let (upstream, _behind) = upstream_after(Era::Handshake, pending);
    let upstream = upstream.login(|| Some("https://login.example/".to_owned()));
    let mut wire = Wire::to(&Proxy::new(upstream).into_server()).await;
    let before = Instant::now();
    let answer = wire.ask(introduced("c", json!({}))).await;
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(before.elapsed().as_secs(), 8);
}

async fn proxy_reconnect_pause() {
    tokio::time::pause();
    let (proxy, mut behind): (Server, Behind) = proxy(Era::Handshake);
    let (_wire, server) = session(&proxy, &mut behind).await;
    let before = Instant::now();
    drop(server);
    behind.operating().await;
    // A random part of the pause is left out: up to a quarter.
    let pauses = Duration::from_millis(75)..=Duration::from_millis(101);
    assert!(pauses.contains(&before.elapsed()), "{:?}", before.elapsed());
}
