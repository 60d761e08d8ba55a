//! Malformed answers over HTTP, on both sides.

use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::HttpOptions;
use mcp_runtime::{CallError, Server};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::site::{Site, read, read_until};
use crate::support::{call, initialize};

struct Greeter;

#[mcp_server(undocumented = "allow")]
impl Greeter {
    #[tool]
    async fn greet(&self, cx: &Context) -> Result<String, ToolError> {
        Ok(cx.elicit::<String>("What is your name?").await?)
    }
}

fn greeter() -> Server {
    let mut server = Server::builder();
    Arc::new(Greeter).register(&mut server);
    server.build()
}

#[tokio::test]
async fn a_malformed_answer_ends_the_question_and_is_not_answered() {
    let site = Site::of(&greeter());
    let mut hello = initialize("2025-11-25");
    hello["params"]["capabilities"] = json!({"elicitation": {}});
    for (answer, word) in [
        (r#"{"jsonrpc":"2.0","id":ID,"error":null}"#, "`error`"),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"no"}}"#,
            "both",
        ),
        (r#"{"id":ID,"result":{"action":"cancel"}}"#, "jsonrpc"),
        (
            r#"{"jsonrpc":"2.0","id":"ID","result":{"action":"cancel"}}"#,
            "string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":ID,"result":{"action":"#,
            "Parse error",
        ),
        (
            r#"[{"jsonrpc":"2.0","id":ID,"result":{"action":"cancel"}}]"#,
            "batches",
        ),
    ] {
        let session = site.session_of(&hello, "2025-11-25").await;
        let mut calling = session.start(&call(1, "greet", json!({}))).await;
        let asked = read_until(&mut calling, "elicitation/create").await;
        let asked = asked
            .lines()
            .rfind(|line| line.contains("elicitation/create"));
        let asked = asked.unwrap().strip_prefix("data: ").unwrap();
        let asked: Value = serde_json::from_str(asked).unwrap();
        let body = answer.replace("ID", &asked["id"].to_string());
        let posted = session
            .request("POST")
            .header("content-type", "application/json");
        let refused = site.send(posted.body(body).unwrap()).await;
        if answer.contains(r#""ID""#) {
            assert_eq!(refused.status, 202, "{refused:?}");
        } else {
            assert_eq!(refused.status, 400, "{refused:?}");
            assert_eq!(refused.json().get("id"), None, "{refused:?}");
        }
        let rest = read(calling).await.body;
        assert!(
            rest.contains("malformed") && rest.contains(word),
            "{answer}: {rest}"
        );
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_ends_its_question() {
    let options = HttpOptions::default().max_body_bytes(2_000);
    let site = Site::of_with(&greeter(), options);
    let mut hello = initialize("2025-11-25");
    hello["params"]["capabilities"] = json!({"elicitation": {}});
    let session = site.session_of(&hello, "2025-11-25").await;
    let mut calling = session.start(&call(1, "greet", json!({}))).await;
    let asked = read_until(&mut calling, "elicitation/create").await;
    let asked = asked
        .lines()
        .rfind(|line| line.contains("elicitation/create"));
    let asked: Value = serde_json::from_str(&asked.unwrap()["data: ".len()..]).unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {
        "action": "accept", "content": {"answer": "x".repeat(3_000)},
    }});
    let posted = session
        .request("POST")
        .header("content-type", "application/json");
    let refused = site.send(posted.body(answer.to_string()).unwrap()).await;
    assert_eq!(refused.status, 413, "{refused:?}");
    let rest = read(calling).await.body;
    assert!(rest.contains("limit of 2000 bytes"), "{rest}");
}

#[cfg(feature = "http-client")]
mod client {
    use super::*;
    use crate::client::{Script, stateless_script};
    use mcp_runtime::Client;

    /// Returns the error of a call that is answered with `body`, which has the media type `kind`
    /// and in which `ID` is replaced by the id of the call.
    async fn refused(kind: &'static str, body: &'static str) -> CallError {
        let discovers = stateless_script(json!([]));
        let script = Script::new(move |message| match message["method"].as_str() {
            Some("tools/call") => (200, kind, body.replace("ID", &message["id"].to_string())),
            _ => discovers(message),
        });
        let script = script.await;
        let client = Client::builder("test", "1")
            .connect(script.url())
            .await
            .unwrap();
        let error = client.call_tool("x", json!({})).await.unwrap_err();
        client.list_tools().await.unwrap();
        error
    }

    #[tokio::test]
    async fn a_malformed_answer_fails_its_call_at_once() {
        for (body, word) in [
            (r#"{"jsonrpc":"2.0","id":ID,"error":"no"}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":ID}"#, "missing"),
            (r#"{"jsonrpc":"2.0","id":"ID","result":{}}"#, "string"),
            (r#"{"jsonrpc":"2.0","id":777,"result":{}}"#, "777"),
            (
                r#"{"jsonrpc":"2.0","id":ID,"result":{"content":["#,
                "Parse error",
            ),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "`id`"),
        ] {
            for kind in ["application/json", "text/event-stream"] {
                let stream = kind != "application/json";
                if stream && (body.contains("777") || !body.contains("ID")) {
                    continue;
                }
                let error = if stream {
                    refused(kind, Box::leak(format!("data: {body}\n\n").into())).await
                } else {
                    refused(kind, body).await
                };
                assert!(
                    matches!(error, CallError::Malformed { .. }),
                    "{body}: {error}"
                );
                assert!(error.to_string().contains(word), "{body}: {error}");
            }
        }
    }
}
