//! Events that never end, and event ids that are too long.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::transport::http_client::{HttpUrl, http_client};
use mcp_runtime::{CallError, Client, Era};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::scripted::{Exchange, Scripted};
use crate::support::clock::in_time;

const LIMIT: usize = 10_000;

async fn connect(url: HttpUrl) -> Client {
    let client = Client::builder("test", "1").era(Era::Handshake);
    in_time(client.connect(url.max_message_bytes(LIMIT)))
        .await
        .unwrap()
}

/// Sends copies of `piece` until there are `bytes` bytes, and then nothing more.
async fn repeat(mut stream: Exchange, piece: &str, bytes: usize) {
    stream.event(&piece.repeat(bytes / piece.len() + 1)).await;
    stream.hang().await;
}

/// Events that never end: the beginning, and the piece that is repeated.
const ENDLESS: [(&str, &str); 5] = [
    ("data: ", "x"),
    ("", "data: x\n"),
    ("", "data:\n"),
    ("id: 1\n", ": x\n"),
    ("", "retry: 1\n"),
];

#[tokio::test]
async fn a_call_fails_at_the_limit_with_its_name() {
    for (beginning, piece) in ENDLESS {
        let server = Scripted::operating(move |exchange| async move {
            repeat(exchange.stream(beginning).await, piece, 8 * LIMIT).await;
        });
        let server = server.await;
        let client = connect(http_client(server.url())).await;
        // Much shorter than the minute after which a test fails.
        let call = client.call_tool("x", json!({}));
        let call = call.timeout(Duration::from_secs(30)).into_future();
        let error = in_time(call).await.unwrap_err();
        let CallError::Malformed { reason, .. } = &error else {
            panic!("{piece:?}: {error}")
        };
        let expected =
            format!("it is longer than the limit of {LIMIT} bytes (`max_message_bytes`)");
        assert_eq!(*reason, expected);
        // The client stops reading.
        server.until_idle().await;
    }
}

#[tokio::test]
async fn the_stream_of_a_session_is_opened_again_after_the_event() {
    for (beginning, piece) in ENDLESS {
        let server = Scripted::new(move |exchange| async move {
            if exchange.verb != "GET" {
                exchange.shake_hands().await;
            } else if exchange.header("last-event-id") == "e-2" {
                let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
                exchange
                    .stream(&format!("data: {changed}\n\n"))
                    .await
                    .hang()
                    .await;
            } else {
                let mut stream = exchange
                    .stream("retry: 100\nid: e-1\ndata:\n\nid: e-2\n")
                    .await;
                stream.event(beginning.trim_start_matches("id: 1\n")).await;
                repeat(stream, piece, 8 * LIMIT).await;
            }
        });
        let server = server.await;
        let heard = Arc::new(Notify::new());
        let notify = Arc::clone(&heard);
        let client = Client::builder("test", "1")
            .era(Era::Handshake)
            .on_notification(move |_| notify.notify_one());
        let url = http_client(server.url()).max_message_bytes(LIMIT);
        let _client = in_time(client.connect(url)).await.unwrap();
        in_time(heard.notified()).await;
        assert_eq!(server.count("GET"), 2, "{piece:?}");
    }
}

#[tokio::test]
async fn a_stream_is_not_resumed_after_an_id_over_the_limit() {
    for (length, resumed) in [(1024, true), (1025, false)] {
        let called = Arc::new(Mutex::new(Value::Null));
        let server = Scripted::new(move |exchange| {
            let called = Arc::clone(&called);
            async move {
                let id = "i".repeat(length);
                if exchange.header("last-event-id") == id {
                    let called = called.lock().unwrap().clone();
                    let answer = json!({"jsonrpc": "2.0", "id": called, "result": {"content": []}});
                    exchange.stream(&format!("data: {answer}\n\n")).await;
                } else if exchange.name() == "tools/call" {
                    *called.lock().unwrap() = exchange.message["id"].clone();
                    let event = format!("retry: 0\nid: {id}\ndata:\n\n");
                    exchange.stream(&event).await;
                } else {
                    exchange.shake_hands().await;
                }
            }
        });
        let server = server.await;
        let client = connect(http_client(server.url())).await;
        let call = client.call_tool("x", json!({})).into_future();
        match in_time(call).await {
            Ok(_) => assert!(resumed),
            Err(error) => {
                assert!(!resumed && matches!(error, CallError::Lost(_)), "{error}");
                let text = error.to_string();
                assert!(text.contains("ended without the answer"), "{text}");
            }
        }
        assert_eq!(server.count("GET"), 1 + usize::from(resumed));
    }
}
