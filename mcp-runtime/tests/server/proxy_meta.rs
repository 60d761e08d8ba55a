//! The `_meta` of callers, which a proxy forwards.

use mcp_runtime::prelude::*;
use mcp_runtime::{Client, ClientBuilder, Revision, Server, TraceContext};
use serde_json::{Value, json};

use crate::support::client::connect;
use crate::support::{Wire, request, stateless};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const OTHER_TRACE: &str = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01";

struct Echo;

fn said(cx: &Context) -> String {
    cx.meta().map_or("{}", |meta| meta.get()).to_owned()
}

#[mcp_server]
impl Echo {
    /// Returns the `_meta` of the request.
    #[tool]
    fn tool(&self, cx: &Context) -> String {
        said(cx)
    }

    /// Returns the `_meta` of the request.
    #[prompt]
    fn prompt(&self, cx: &Context) -> String {
        said(cx)
    }

    /// Returns the `_meta` of the request.
    #[resource("echo://meta")]
    fn resource(&self, cx: &Context) -> String {
        said(cx)
    }
}

async fn proxy(client: ClientBuilder, revision: Revision) -> Server {
    let client = connect(client.revision(revision), &Echo.into_server()).await;
    Server::proxy(&client).await.unwrap()
}

fn builder() -> ClientBuilder {
    Client::builder("proxy", "1")
}

fn meta() -> Value {
    json!({
        "progressToken": "callers",
        "io.modelcontextprotocol/clientInfo": {"name": "caller", "version": "1"},
        "io.modelcontextprotocol/logLevel": "debug",
        "io.modelcontextprotocol/subscriptionId": 1,
        "io.modelcontextprotocol/related-task": {"taskId": "t"},
        "com.example/tenant": {"id": 12345678901234567890_u64},
        "traceparent": TRACE,
        "tracestate": "a=1",
    })
}

/// Returns the `_meta` that reaches the server behind the proxy in both eras.
async fn arrived(proxy: &Server, method: &str, mut params: Value) -> [Value; 2] {
    let mut wire = Wire::to(proxy).await;
    wire.handshake("2025-11-25").await;
    params["_meta"] = meta();
    let handshake = text(wire, request(1, method, params.clone())).await;
    let wire = Wire::to(proxy).await;
    let mut message = stateless(1, method, params);
    let own = message["params"]["_meta"].clone();
    message["params"]["_meta"] = meta();
    for (name, value) in own.as_object().unwrap() {
        message["params"]["_meta"][name] = value.clone();
    }
    [handshake, text(wire, message).await]
}

async fn text(mut wire: Wire, message: Value) -> Value {
    let answer = wire.ask(message).await;
    let result = &answer["result"];
    let text = [
        &result["content"][0]["text"],
        &result["messages"][0]["content"]["text"],
        &result["contents"][0]["text"],
    ];
    let text = text.iter().find_map(|text| text.as_str());
    serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
}

/// Removes the members that a stateless client adds itself, and the members for progress.
fn without_own(mut meta: Value) -> Value {
    let members = meta.as_object_mut().unwrap();
    if let Some(info) = members.remove("io.modelcontextprotocol/clientInfo") {
        assert_eq!(info["name"], "proxy");
    }
    for own in ["protocolVersion", "clientCapabilities"] {
        members.remove(&format!("io.modelcontextprotocol/{own}"));
    }
    if let Some(token) = members.remove("progressToken") {
        assert_ne!(token, "callers", "the client has its own tokens");
    }
    meta
}

#[tokio::test]
async fn what_callers_say_of_their_requests_is_passed_on() {
    let expected = json!({
        "io.modelcontextprotocol/related-task": {"taskId": "t"},
        "com.example/tenant": {"id": 12345678901234567890_u64},
        "traceparent": TRACE,
        "tracestate": "a=1",
    });
    for revision in REVISIONS {
        let proxy = proxy(builder(), revision).await;
        for (method, params) in [
            ("tools/call", json!({"name": "tool"})),
            ("prompts/get", json!({"name": "prompt"})),
            ("resources/read", json!({"uri": "echo://meta"})),
        ] {
            for arrived in arrived(&proxy, method, params).await {
                assert_eq!(without_own(arrived), expected, "{revision} {method}");
            }
        }
    }
}

#[tokio::test]
async fn a_trace_of_the_clients_own_goes_before_the_callers() {
    let expected = json!({
        "io.modelcontextprotocol/related-task": {"taskId": "t"},
        "com.example/tenant": {"id": 12345678901234567890_u64},
        "traceparent": OTHER_TRACE,
    });
    for revision in REVISIONS {
        let client = builder().trace_context(|| TraceContext::new(OTHER_TRACE));
        let proxy = proxy(client, revision).await;
        for arrived in arrived(&proxy, "tools/call", json!({"name": "tool"})).await {
            assert_eq!(without_own(arrived), expected, "{revision}");
        }
    }
}

#[tokio::test]
async fn results_name_the_gateway_and_not_the_server_behind_it() {
    let mut gateway = Server::builder();
    let proxy = proxy(builder(), Revision::V2026_07_28).await;
    gateway.name("gateway").mount("my", proxy);
    let mut caller = Wire::to(&gateway.build()).await;
    for (method, params) in [
        ("tools/call", json!({"name": "my_tool", "arguments": {}})),
        ("prompts/get", json!({"name": "my_prompt"})),
        ("resources/read", json!({"uri": "my+echo://meta"})),
    ] {
        let answer = caller.ask(stateless(1, method, params)).await;
        let info = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info["name"], "gateway", "{method}: {answer}");
    }
}
