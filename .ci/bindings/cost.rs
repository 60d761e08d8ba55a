//! Calls a tool many times, for valgrind to count the instructions: `cost typed|json|read COUNT`. `typed`
//! uses the bindings, `json` uses `call_tool` with `json!`, and `read` also reads the content of the result.
//! The server answers each call with the same bytes.

use everything::{Everything, Location};
use mcp_runtime::transport::ByteStream;
use mcp_runtime::{Client, Era};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

#[path = "../../src/everything.rs"]
mod everything;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let count: usize = arguments[2].parse().expect("a number");
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve(theirs));
    let (reader, writer) = tokio::io::split(ours);
    let client = Client::builder("cost", "0.0.0").without_keep_alive().era(Era::Handshake);
    let client = client.connect(ByteStream::new(reader, writer)).await.expect("a server");
    let everything = Everything(client);
    for _ in 0..count {
        if arguments[1] == "typed" {
            let output = everything.get_structured_content(Location::Chicago).await;
            assert_eq!(output.expect("an output").humidity, 82.0);
        } else {
            let place = json!({"location": "Chicago"});
            let result = everything.call_tool("get-structured-content", place).await;
            let content = result.expect("a result").structured_content.expect("content");
            if arguments[1] == "read" {
                assert_eq!(content.parse::<Value>().expect("JSON")["humidity"], 82);
            }
        }
    }
}

async fn serve(stream: DuplexStream) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "everything", "version": "1"},
            }),
            Some("tools/call") => json!({
                "content": [{"type": "text", "text": "{\"temperature\":36,\"conditions\":\"Light rain\",\"humidity\":82}"}],
                "structuredContent": {"temperature": 36, "conditions": "Light rain", "humidity": 82},
            }),
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        writer.write_all(format!("{answer}\n").as_bytes()).await.expect("written");
    }
}
