//! Streams that end early and are resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{CallError, Client, ClientBuilder, Era};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::scripted::Scripted;
use crate::support::clock::{Clock, in_time};

fn builder() -> ClientBuilder {
    Client::builder("test", "1")
        .era(Era::Handshake)
        .without_keep_alive()
}

#[tokio::test]
async fn a_stream_of_a_call_that_brings_no_message_is_resumed_a_few_times_with_pauses() {
    let server = Scripted::new(|exchange| async {
        let resumes = exchange.headers.contains_key("last-event-id");
        if exchange.name() == "tools/call" || resumes {
            exchange.stream("id: 1\nretry: 0\ndata:\n\n").await;
        } else {
            exchange.shake_hands().await;
        }
    });
    let server = server.await;
    let client = in_time(builder().connect(http_client(server.url()))).await;
    let client = client.unwrap();
    let begun = Instant::now();
    let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
    assert!(matches!(answer, Err(CallError::Lost(_))), "{answer:?}");
    assert!(begun.elapsed() >= Duration::from_millis(500));
    assert_eq!(server.count("GET"), 1 + 5);
}

#[tokio::test]
async fn the_stream_of_a_session_is_resumed_as_long_as_the_session_lives() {
    let opened = Arc::new(AtomicUsize::new(0));
    let server = Scripted::new(move |exchange| {
        let opened = Arc::clone(&opened);
        async move {
            if exchange.verb != "GET" {
                exchange.shake_hands().await;
                return;
            }
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            match opened.fetch_add(1, Ordering::Relaxed) {
                4 => exchange.reply(503, "", "").await,
                5 => exchange.reset(),
                20 => {
                    let stream = exchange.stream(&format!("data: {changed}\n\n")).await;
                    stream.hang().await;
                }
                _ => drop(exchange.stream("retry: 0\n\n").await),
            }
        }
    });
    let server = server.await;
    let heard = Arc::new(Notify::new());
    let notify = Arc::clone(&heard);
    let client = builder().on_notification(move |_| notify.notify_one());
    let clock = Clock::stopped();
    let connecting = client.connect(http_client(server.url()).retries(0));
    let _client = connecting.await.unwrap();
    let begun = Instant::now();
    let step = Duration::from_millis(100);
    clock.run_until(step, heard.notified()).await;
    // The pause starts at 100 ms and doubles each time, up to 30 s.
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(51 + 10 * 30), "{waited:?}");
    assert!(waited <= Duration::from_secs(600), "{waited:?}");
}

#[tokio::test]
async fn a_stream_of_a_session_that_has_lasted_is_resumed_soon() {
    let server = Scripted::new(|exchange| async {
        if exchange.verb == "GET" {
            let stream = exchange.stream(": here\n\n").await;
            tokio::time::sleep(Duration::from_secs(11)).await;
            drop(stream);
        } else {
            exchange.shake_hands().await;
        }
    });
    let server = server.await;
    let clock = Clock::stopped();
    let _client = builder().connect(http_client(server.url())).await.unwrap();
    let begun = Instant::now();
    let step = Duration::from_millis(100);
    clock.run_until(step, server.seen_often("GET", 7)).await;
    let waited = begun.elapsed();
    assert!(waited <= Duration::from_secs(6 * 13), "{waited:?}");
}
