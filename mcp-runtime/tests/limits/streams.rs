//! Limits of connections over streams: TCP and WebSocket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::Change;
use mcp_runtime::server::Reply;
use mcp_runtime::transport::tcp;
use mcp_runtime::transport::websocket::websocket_server;
use mcp_runtime::types::{ProgressNotification, ProgressNotificationParams, Tool};
use serde_json::json;
use socket2::SockRef;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tracing::Level;

use crate::support::clock::{Clock, until};
use crate::support::listening::{self, listen};
use crate::support::log::Log;
use crate::support::{self, call, initialize, stateless};
use crate::wire::{SECOND, Served, comes_after, end_of};

driven! {
    MAX_DEPTH by max_depth,
    MAX_FRAME_BYTES by max_frame_bytes,
    MAX_IN_FLIGHT by max_in_flight,
    MAX_OPEN by max_open,
    DRAIN_TIMEOUT by drain_timeout,
    WRITE_TIMEOUT by write_timeout,
    MAX_UNSENT_BYTES by max_unsent_bytes,
    MAX_QUEUED_BYTES by max_queued_bytes,
    MAX_CONNECTIONS by max_connections,
    #[cfg(unix)]
    ACCEPT_PAUSE by accept_pause,
    WEBSOCKET_HANDSHAKE_TIMEOUT by websocket_handshake_timeout,
    WEBSOCKET_PING by websocket_ping,
    ANNOUNCE_INTERVAL by announce_interval,
}

async fn max_depth() {
    let served = Served::tcp(&support::server(), |serve| serve.max_depth(10));
    let mut peer = served.peer().await;
    let nested = |levels: usize| {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    };
    for (levels, code) in [(4, None), (10, Some(-32700))] {
        let params = json!({"name": "echo", "arguments": {"x": nested(levels)}});
        let answer = peer.ask(stateless(1, "tools/call", params)).await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{answer}");
    }
}

async fn max_frame_bytes() {
    let endpoint = |listener| tcp(listener).max_frame_bytes(1000);
    let served = Served::at(&support::server(), endpoint, |serve| serve);
    let mut peer = served.peer().await;
    for (length, code) in [(500, None), (1000, Some(-32600))] {
        let params = json!({"name": "echo", "arguments": {"x": "x".repeat(length)}});
        let answer = peer.ask(stateless(1, "tools/call", params)).await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{answer}");
    }
}

async fn max_in_flight() {
    let served = Served::tcp(&support::server(), |serve| serve.max_in_flight(2));
    let mut peer = served.peer().await;
    for id in 1..=3 {
        peer.send(&stateless(id, "tools/call", json!({"name": "never"}))).await;
    }
    let refused = peer.next().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(3), &json!(-32603)));
}

async fn max_open() {
    let served = Served::tcp(&listening::server(), |serve| serve);
    let mut peer = served.peer().await;
    for id in 1..=257 {
        let answer = peer.ask(listen(id, json!({"toolsListChanged": true}))).await;
        let code = answer["error"]["code"].as_i64();
        assert_eq!(code, (id > 256).then_some(-32603), "{id}: {answer}");
    }
}

async fn drain_timeout() {
    let clock = Clock::stopped();
    let served = Served::tcp(&support::server(), |serve| serve.drain_timeout(SECOND));
    let mut peer = served.peer().await;
    peer.send(&stateless(1, "tools/call", json!({"name": "never"}))).await;
    peer.ask(stateless(2, "tools/call", json!({"name": "echo"}))).await;
    served.shutdown.shut_down();
    comes_after(&clock, SECOND, served.serving).await.unwrap().unwrap();
}

async fn write_timeout() {
    let clock = Clock::stopped();
    let served = Served::tcp(&support::server(), |serve| serve.write_timeout(SECOND));
    let mut peer = served.peer().await;
    // The message is larger than the buffers of the system.
    let params = json!({"name": "echo", "arguments": {"x": "x".repeat(12_000_000)}});
    peer.send(&stateless(1, "tools/call", params)).await;
    // The connection is reset because it is not read.
    let reset = async { while peer.0.get_ref().writable().await.is_ok() && peer.0.get_ref().try_write(b"\n").is_ok() { tokio::task::yield_now().await } };
    comes_after(&clock, SECOND, reset).await;
}

async fn max_unsent_bytes() {
    let served_calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&served_calls);
    let mut server = support::builder();
    server.tool(support::tool("count", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Reply::Ready(Ok(support::text("x".repeat(100_000))))
    }));
    let endpoint = |listener: std::net::TcpListener| {
        // Accepted connections inherit the buffer size.
        SockRef::from(&listener).set_send_buffer_size(10_000).unwrap();
        tcp(listener)
    };
    let served = Served::at(&server.build(), endpoint, |serve| serve);
    let mut peer = served.peer().await;
    SockRef::from(peer.0.get_ref()).set_recv_buffer_size(10_000).unwrap();
    for id in 0..100 {
        peer.send(&stateless(id, "tools/call", json!({"name": "count"}))).await;
    }
    until("calls are served", || served_calls.load(Ordering::Relaxed) >= 10).await;
    // Other clients are served meanwhile.
    let mut other = served.peer().await;
    for id in 0..10 {
        other.ask(stateless(id, "tools/list", json!({}))).await;
    }
    let calls = served_calls.load(Ordering::Relaxed);
    // The limit is 1 MiB, and the system buffers more.
    assert!(calls <= 20, "{calls} calls were served");
    assert_eq!(peer.next().await.unwrap()["id"], 0);
}

async fn max_queued_bytes() {
    let mut server = support::builder();
    server.tool(ToolEntry::new(
        Tool::new("chatty", json!({"type": "object"})),
        |call| {
            let peer = call.context.peer();
            for number in 0..200 {
                let progress = ProgressNotificationParams::new("t", f64::from(number));
                let progress = progress.with_message("x".repeat(1000));
                // This fails when there is no more room.
                let _ = peer.notify::<ProgressNotification>(Some(&progress));
            }
            Reply::Ready(Ok(support::text(String::new())))
        },
    ));
    let served = Served::tcp(&server.build(), |serve| serve);
    let mut peer = served.operating(initialize("2025-11-25")).await;
    peer.send(&call(1, "chatty", json!({}))).await;
    let told = peer.until_answered(1).await.len() - 1;
    assert!((55..=65).contains(&told), "{told} messages of 1 KB wait");
}

async fn max_connections() {
    let endpoint = |listener| tcp(listener).max_connections(1);
    let served = Served::at(&support::server(), endpoint, |serve| serve);
    let mut first = served.peer().await;
    let mut second = served.peer().await;
    let list = || stateless(1, "tools/list", json!({}));
    second.send(&list()).await;
    for _ in 0..10 {
        first.ask(list()).await;
    }
    assert_eq!(second.next_now(), None, "the second waits");
    drop(first);
    assert_eq!(crate::support::clock::in_time(second.next()).await.unwrap()["id"], 1);
}

/// The variable that is set in a process with few file descriptors.
const FEW_FILES: &str = "TEST_WITH_FEW_FILES";

#[cfg(unix)]
async fn accept_pause() {
    if std::env::var_os(FEW_FILES).is_none() {
        let program = std::env::current_exe().unwrap();
        let test = "streams::limit::ACCEPT_PAUSE";
        let run = "ulimit -n 64; exec \"$0\" --exact \"$1\"";
        let mut shell = tokio::process::Command::new("sh");
        shell.args(["-c", run]).arg(program).arg(test).env(FEW_FILES, "1");
        let ended = crate::support::clock::in_time(shell.output()).await.unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let (log, _guard) = Log::listening(Level::WARN);
    let clock = Clock::stopped();
    let served = Served::tcp(&support::server(), |serve| serve);
    let connect = |_: usize| std::net::TcpStream::connect(served.addr).ok();
    let open: Vec<_> = (0..100).map_while(connect).collect();
    assert!(open.len() > 10);
    for _ in 0..100 {
        clock.pass(Duration::from_millis(10)).await;
    }
    let tries = log.text().matches("could not be accepted").count();
    assert!((9..=11).contains(&tries), "{tries} tries in a second");
}

async fn websocket_handshake_timeout() {
    let clock = Clock::stopped();
    let served = Served::at(&support::server(), websocket_server, |serve| serve);
    let silent = TcpStream::connect(served.addr).await.unwrap();
    comes_after(&clock, 30 * SECOND, end_of(silent)).await;
}

async fn websocket_ping() {
    let clock = Clock::stopped();
    let endpoint = |listener| websocket_server(listener).ping_every(5 * SECOND);
    let served = Served::at(&support::server(), endpoint, |serve| serve);
    let upgrade = "GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\n\
                   connection: upgrade\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    // The client reads pings but does not answer them.
    let mut stream = served.open(upgrade).await;
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 101");
    comes_after(&clock, 10 * SECOND, end_of(stream)).await;
}

async fn announce_interval() {
    let clock = Clock::stopped();
    let server = listening::server();
    let served = Served::tcp(&server, |serve| serve);
    let mut peer = served.operating(initialize("2025-11-25")).await;
    peer.ask(support::request(1, "ping", json!({}))).await;
    server.notify_changed(Change::Tools);
    peer.expect("notifications/tools/list_changed").await;
    server.notify_changed(Change::Tools);
    let told = peer.expect("notifications/tools/list_changed");
    comes_after(&clock, Duration::from_millis(50), told).await;
}
