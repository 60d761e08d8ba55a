//! Recordings of the messages of a server.

use mcp_runtime::Recording;
use serde_json::{Value, json};

use super::Transport;
use crate::support::{self, WireOver, call, initialize};

type Wire = WireOver<Transport>;

#[tokio::test]
async fn each_message_is_recorded_with_its_sender() {
    let recording = Recording::default();
    let server = support::server().record(&recording);
    let mut wire = Wire::to(&server).await;
    let hello = initialize("2025-11-25");
    let welcome = wire.ask(hello.clone()).await;
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    wire.send(initialized.clone()).await;
    let rubbish = wire.ask_text("rub\"bish").await;
    let question = call(1, "soon", json!({"a": "\n"}));
    let answer = wire.ask(question.clone()).await;

    let lines = recording.without_times();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let line =
        |from, member: &str, message| json!({"connection": 1, "from": from, member: message});
    let expected = [
        line("client", "message", hello),
        line("server", "message", welcome),
        line("client", "message", initialized),
        line("client", "text", json!("rub\"bish")),
        line("server", "message", rubbish),
        line("client", "message", question),
        line("server", "message", answer),
    ];
    assert_eq!(lines.collect::<Vec<Value>>(), expected);
}

#[tokio::test]
async fn connections_have_numbers() {
    let recording = Recording::default();
    let server = support::server().record(&recording);
    for _ in 0..2 {
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        wire.ask(call(1, "soon", json!({}))).await;
    }
    let lines = recording.without_times();
    let connections = lines.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["connection"].as_u64().unwrap()
    });
    let expected = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2];
    assert_eq!(connections.collect::<Vec<_>>(), expected);
}
