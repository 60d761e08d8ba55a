//! Layers around single entries, and methods that are services.

use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next, RateLimit, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::proxy::Proxy;
use mcp_runtime::server::prompts::{self, PromptBuilder};
use mcp_runtime::server::resources::{ResourceBuilder, UriTemplate, variable};
use mcp_runtime::server::tools::{ToolBuilder, argument};
use mcp_runtime::{Server, resources::NotFound};
use serde_json::{Value, json};
use tower_service::Service;

use super::{Record, both, recording};
use crate::support::client::upstream;
use crate::support::{Wire, request, stateless, text, tool};

/// Creates a server with a tool, a prompt and a resource, each with two layers.
fn server(record: &Record) -> Server {
    let add = ToolBuilder::new("add")
        .arguments((argument::<i64>("a"), argument::<i64>("b")))
        .layer(recording(record, "outer"))
        .layer(recording(record, "inner"))
        .call(|(a, b), _| a + b);
    let greet = PromptBuilder::new("greet")
        .arguments((prompts::argument::<String>("name"),))
        .layer(recording(record, "outer"))
        .layer(recording(record, "inner"))
        .call(|(name,), _| format!("Greet {name}."));
    let uri = UriTemplate::parse("book://{isbn}").unwrap();
    let book = ResourceBuilder::new("book", uri)
        .mime("text/plain")
        .variables((variable::<u64>("isbn"),))
        .layer(recording(record, "outer"))
        .layer(recording(record, "inner"))
        .call(|(isbn,), _| match isbn {
            978 => Ok("Emma"),
            _ => Err(NotFound),
        });
    let mut server = Server::builder();
    server.tool(add).prompt(greet).resource(book);
    server.tool(tool("plain", |_| {
        mcp_runtime::server::Reply::Ready(Ok(text("plain".to_owned())))
    }));
    server.build()
}

/// Returns the answers to a request in both eras.
async fn ask(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let mut old = Wire::to(server).await;
    old.handshake("2025-06-18").await;
    let mut new = Wire::to(server).await;
    [
        old.ask(request(1, method, params.clone())).await,
        new.ask(stateless(1, method, params)).await,
    ]
}

#[tokio::test]
async fn layers_of_an_entry_see_its_requests_only() {
    let record = Record::default();
    let server = server(&record);
    for (method, params, target) in [
        (
            "tools/call",
            json!({"name": "add", "arguments": {"a": 1, "b": 2}}),
            "add",
        ),
        (
            "prompts/get",
            json!({"name": "greet", "arguments": {"name": "Ada"}}),
            "greet",
        ),
        ("resources/read", json!({"uri": "book://978"}), "book://978"),
    ] {
        for answer in ask(&server, method, params).await {
            let text = answer["result"].to_string();
            assert!(
                ["3", "Greet Ada.", "Emma"]
                    .iter()
                    .any(|it| text.contains(it)),
                "{answer}"
            );
        }
        let passed = [
            format!("outer {method} {target}"),
            format!("inner {method} {target}"),
            format!("inner {method} {target}: answered"),
            format!("outer {method} {target}: answered"),
        ];
        assert_eq!(record.take(), [passed.clone(), passed].concat());
    }
    ask(&server, "tools/call", json!({"name": "plain"})).await;
    ask(&server, "tools/list", json!({})).await;
    assert_eq!(record.take(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_missing_or_does_not_fit_is_answered_as_without_layers() {
    let record = Record::default();
    let with = server(&record);
    let mut without = Server::builder();
    let add = ToolBuilder::new("add").arguments((argument::<i64>("a"), argument::<i64>("b")));
    without.tool(add.call(|(a, b), _| a + b));
    let uri = UriTemplate::parse("book://{isbn}").unwrap();
    let book = ResourceBuilder::new("book", uri).variables((variable::<u64>("isbn"),));
    without.resource(book.call(|(_,), _| Err::<&str, _>(NotFound)));
    let without = without.build();
    for (method, params) in [
        (
            "tools/call",
            json!({"name": "add", "arguments": {"a": "x"}}),
        ),
        ("resources/read", json!({"uri": "book://5"})),
    ] {
        let expected = ask(&without, method, params.clone()).await;
        assert_eq!(ask(&with, method, params).await, expected);
    }
}

#[tokio::test]
async fn a_layer_replaces_arguments_and_result_of_its_entry() {
    let double = from_fn(async |mut request: McpRequest, next: Next| {
        let mut params: Value = request.parse_params()?;
        params["arguments"]["a"] = 20.into();
        request.set_params(params);
        let response = next.run(request).await?;
        let text = response.json()?.unwrap_or_default().replace("22", "44");
        Ok(McpResponse::new(text)?)
    });
    let add = ToolBuilder::new("add")
        .arguments((argument::<i64>("a"), argument::<i64>("b")))
        .layer(double)
        .call(|(a, b), _| a + b);
    let server = Server::builder().tool(add).build();
    let [old, new] = both(&server, "add", json!({"a": 1, "b": 2})).await;
    // The result is completed for each revision, like any tool result.
    assert_eq!(old["result"]["structuredContent"], json!({"result": 44}));
    assert_eq!(new["result"]["structuredContent"], 44);
    assert_eq!(new["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_result_of_an_extension_takes_the_place_of_a_tools() {
    let ticket = from_fn(async |_: McpRequest, _: Next| {
        let ticket = json!({"resultType": "com.example/ticket", "number": 5});
        Ok(McpResponse::of(&ticket)?)
    });
    let slow = ToolBuilder::new("slow").layer(ticket).call(|(), _| "done");
    let inner = Server::builder().tool(slow).build();
    let mut outer = Server::builder();
    outer.mount("in", &inner);
    for (server, name) in [(inner, "slow"), (outer.build(), "in_slow")] {
        let [_, new] = both(&server, name, json!({})).await;
        assert_eq!(new["result"]["resultType"], "com.example/ticket");
        assert_eq!(new["result"]["number"], 5);
        let info = &new["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info["name"], "mcp-server");
        assert!(new["result"].get("content").is_none());
    }
}

#[tokio::test]
async fn a_proxy_passes_on_a_result_of_an_extension() {
    let ticket = from_fn(async |_: McpRequest, _: Next| {
        Ok(McpResponse::new(
            r#"{"resultType":"com.example/ticket","b":1,"a":2}"#,
        )?)
    });
    let slow = ToolBuilder::new("slow").layer(ticket).call(|(), _| "done");
    let behind = Server::builder().tool(slow).build();
    let proxy = Proxy::new(upstream(&behind)).into_server();
    let [_, new] = both(&proxy, "slow", json!({})).await;
    let result = &new["result"];
    assert_eq!(result["resultType"], "com.example/ticket", "{new}");
    assert_eq!((&result["b"], &result["a"]), (&json!(1), &json!(2)));
}

#[tokio::test]
async fn a_result_that_is_none_of_a_tool_is_an_internal_error() {
    let other = from_fn(async |_: McpRequest, _: Next| Ok(McpResponse::new("{}")?));
    let entry = ToolBuilder::new("other").layer(other).call(|(), _| "done");
    for answer in both(&Server::builder().tool(entry).build(), "other", json!({})).await {
        let expected = json!({"code": -32603, "message": "Internal error"});
        assert_eq!(answer["error"], expected);
    }
}

#[tokio::test]
async fn a_layer_can_be_added_to_an_entry_that_was_made_before() {
    let limited = tool("limited", |_| {
        mcp_runtime::server::Reply::Ready(Ok(text("so".to_owned())))
    });
    let limited = limited.layer(RateLimit::per_principal(1, Duration::from_secs(3600)));
    let server = Server::builder().tool(limited).build();
    let mut wire = Wire::to(&server).await;
    let call = stateless(1, "tools/call", json!({"name": "limited"}));
    let answer = wire.ask(call.clone()).await;
    assert!(answer["result"].is_object(), "{answer}");
    let answer = wire.ask(call).await;
    assert!(answer["error"]["data"]["retryAfterMs"].is_u64(), "{answer}");
}

/// Serves a method by answering with the parameters.
#[derive(Clone)]
struct Echo;

impl Service<McpRequest> for Echo {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = Ready<Result<McpResponse, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        let echo = || -> Result<McpResponse, BoxError> {
            let mut params: Value = request.parse_params()?;
            if params["fail"] == true {
                return Err(ProtocolError::new(-32050, "as asked").into());
            }
            params.as_object_mut().ok_or("no object")?.remove("_meta");
            params["method"] = request.method().into();
            Ok(McpResponse::of(&params)?)
        };
        ready(echo())
    }
}

#[tokio::test]
async fn a_method_of_an_extension_can_be_a_service() {
    let mut inner = Server::builder();
    let record = Record::default();
    inner.layer(recording(&record, "inner"));
    inner.method_service("com.example/echo", Echo);
    let inner = inner.build();
    let mut outer = Server::builder();
    outer.mount("in", &inner);
    for server in [inner, outer.build()] {
        for answer in ask(&server, "com.example/echo", json!({"a": 1})).await {
            assert_eq!(answer["result"]["a"], 1, "{answer}");
            assert_eq!(answer["result"]["method"], "com.example/echo");
        }
        let passed = [
            "inner com.example/echo ",
            "inner com.example/echo : answered",
        ];
        assert_eq!(record.take(), [passed, passed].concat());
        for answer in ask(&server, "com.example/echo", json!({"fail": true})).await {
            assert_eq!(answer["error"]["code"], -32050, "{answer}");
        }
        assert_eq!(record.take()[1], "inner com.example/echo : refused");
    }
}

#[test]
#[should_panic(expected = "which no extension can serve")]
fn a_method_of_the_protocol_can_not_be_a_service() {
    Server::builder().method_service("tools/call", Echo);
}
