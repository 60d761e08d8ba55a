//! Malformed answers. Each fails the call that it names, and the client sends nothing about it.

use std::time::Duration;

use mcp_runtime::transport::ByteStream;
use mcp_runtime::{CallError, Client, ClientBuilder, Revision};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::support::scripted::{Scripted, initialized, operating, said};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

/// Calls a tool, and answers with `answer`, in which `ID` stands for the id of the call. The
/// client's next message must be its next call. Returns the error.
async fn refused(answer: &[u8]) -> String {
    let (client, mut server) = operating(builder()).await;
    let calling = tokio::spawn(client.call_tool("bad", ()).into_future());
    let (id, _) = server.expect("tools/call").await;
    let text = String::from_utf8(answer.iter().map(|byte| byte & 0x7f).collect()).unwrap();
    let place = text.find("ID").unwrap();
    let id = id.to_string();
    let line = [&answer[..place], id.as_bytes(), &answer[place + 2..]].concat();
    server.send_bytes(&line).await;
    let error = calling.await.unwrap().unwrap_err();
    let CallError::Malformed { method, reason } = error else {
        panic!("{text}: {error}");
    };
    assert_eq!(method, "tools/call");

    let calling = tokio::spawn(client.call_tool("good", ()).into_future());
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("fine")).await;
    calling.await.unwrap().unwrap();
    reason
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_fails_its_call_at_once() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":ID,"result":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for (answer, word) in [
        (
            &br#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"no"}}"#[..],
            "both",
        ),
        (br#"{"jsonrpc":"2.0","id":ID}"#, "missing"),
        (br#"{"jsonrpc":"2.0","id":ID,"error":null}"#, "`error`"),
        (br#"{"jsonrpc":"2.0","id":ID,"error":"no"}"#, "`error`"),
        (br#"{"jsonrpc":"2.0","id":ID,"error":[1,"no"]}"#, "`error`"),
        (
            br#"{"jsonrpc":"2.0","id":ID,"error":{"code":1}}"#,
            "message",
        ),
        (br#"{"id":ID,"result":{}}"#, "jsonrpc"),
        (
            br#"{"jsonrpc":"2.0","id":ID,"result":{},"result":{}}"#,
            "twice",
        ),
        (br#"{"jsonrpc":"2.0","id":"ID","result":{}}"#, "string"),
        (
            b"{\"jsonrpc\":\"2.0\",\"result\":\"\xff\",\"id\":ID}",
            "utf-8",
        ),
        (
            br#"{"jsonrpc":"2.0","id":ID,"result":{"a":}}"#,
            "Parse error",
        ),
        (br#"[{"jsonrpc":"2.0","id":ID,"result":{}}]"#, "batches"),
        (deep.as_bytes(), "nested"),
    ] {
        let reason = refused(answer).await;
        let text = String::from_utf8_lossy(answer);
        assert!(reason.contains(word), "{text}: {reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_the_limit_fails_its_call_at_once() {
    for answer in [
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"LONG"}]}}"#,
        r#"{"result":{"content":[{"type":"text","text":"LONG"}]},"jsonrpc":"2.0","id":2}"#,
    ] {
        let (ours, theirs) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(ours);
        let transport = ByteStream::new(reader, writer).max_frame_bytes(10_000);
        let answer = answer.replace("LONG", &"x".repeat(100_000));
        let script = async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            let hello = json!({"jsonrpc": "2.0", "id": 1, "result": initialized("2025-11-25")});
            lines.next_line().await.unwrap();
            writer
                .write_all(format!("{hello}\n").as_bytes())
                .await
                .unwrap();
            lines.next_line().await.unwrap();
            lines.next_line().await.unwrap();
            writer
                .write_all(format!("{answer}\n").as_bytes())
                .await
                .unwrap();
            lines.next_line().await.unwrap()
        };
        let script = tokio::spawn(script);
        let client = builder().revision(Revision::V2025_11_25).connect(transport);
        let client = client.await.unwrap();
        let start = tokio::time::Instant::now();
        let error = client.call_tool("long", ()).await.unwrap_err();
        assert!(matches!(error, CallError::Malformed { .. }), "{error}");
        assert!(error.to_string().contains("10000"), "{error}");
        assert_eq!(start.elapsed(), Duration::ZERO);
        client.close().await;
        assert_eq!(script.await.unwrap(), None, "nothing is said about it");
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_to_the_probe_leads_to_a_handshake() {
    let (ours, mut server) = Scripted::pair();
    let script = async {
        let (id, _) = server.expect("server/discover").await;
        server
            .send(json!({"jsonrpc": "2.0", "id": id, "error": "unknown method"}))
            .await;
        server.shake_hands("2025-06-18").await;
    };
    let start = tokio::time::Instant::now();
    let (client, ()) = tokio::join!(builder().connect(ours), script);
    assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_can_not_be_read_is_an_error_of_the_call() {
    for (result, word) in [
        (json!([]), "tools: missing (server `scripted 1`)"),
        (
            json!({"tools": 7}),
            "tools: must be a list, not a number (server `scripted 1`)",
        ),
        (
            json!(7),
            "must be an object, not a number (server `scripted 1`)",
        ),
    ] {
        let (client, mut server) = operating(builder()).await;
        let listing = tokio::spawn(async move { client.list_tools().await });
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, result.clone()).await;
        match listing.await.unwrap() {
            Err(CallError::Result { method, reason }) => {
                assert_eq!(method, "tools/list");
                assert!(reason.contains(word), "{result}: {reason}");
            }
            other => panic!("{result}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_the_first_message_is_skipped() {
    let (ours, mut server) = Scripted::pair();
    let client = builder().revision(Revision::V2025_11_25).connect(ours);
    let served = async {
        let (id, _) = server.expect("initialize").await;
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": initialized("2025-11-25")});
        server.send_text(&format!("\u{feff}{answer}")).await;
        server.expect("notifications/initialized").await;
    };
    let (client, ()) = tokio::join!(client, served);
    assert_eq!(client.unwrap().revision(), Revision::V2025_11_25);
}
