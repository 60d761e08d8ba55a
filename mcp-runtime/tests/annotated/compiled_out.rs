//! Parameters under `#[cfg]`. `not(any())` is always true, and `any()` is always false.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{Wire, request, stateless};
use crate::{call, list, text};

/// Arguments, some of which are compiled out.
#[derive(Deserialize, JsonSchema)]
struct Place {
    name: String,
}

struct Conditional;

#[mcp_server(undocumented = "allow")]
impl Conditional {
    #[tool]
    fn some(
        &self,
        #[cfg(any())] before: Nothing,
        /// The first one.
        #[cfg(not(any()))]
        a: i64,
        #[cfg(any())] between: Nothing,
        #[cfg(not(any()))] b: Option<i64>,
    ) -> String {
        format!("{a} {b:?}")
    }

    #[tool]
    async fn none(
        &self,
        #[cfg(any())] a: i64,
        #[cfg(any())] nothing: &Nothing,
        #[cfg(not(any()))] cx: &Context,
        #[cfg(any())] other: &Context,
    ) -> String {
        tokio::task::yield_now().await;
        cx.revision().to_string()
    }

    #[tool]
    fn either(&self, #[cfg(any())] a: i64, #[cfg(not(any()))] a: String) -> String {
        a
    }

    #[tool]
    fn flat(
        &self,
        #[cfg(not(any()))]
        #[arg(flatten)]
        place: Place,
        #[cfg(any())] a: i64,
    ) -> String {
        place.name
    }

    #[tool]
    fn asks(
        &self,
        #[cfg(any())]
        #[elicit("Really?")]
        really: bool,
    ) -> &'static str {
        "not asked"
    }

    #[tool]
    #[cfg(any())]
    fn missing(&self, #[cfg(not(any()))] a: i64) {}

    #[prompt]
    fn greet(
        &self,
        #[cfg(not(any()))]
        #[arg(complete = Self::names)]
        name: String,
        #[cfg(any())]
        #[arg(complete = Self::nothing)]
        tone: Nothing,
    ) -> String {
        format!("Greet {name}.")
    }

    #[resource("book://{isbn}{?chapter,line}")]
    fn book(
        &self,
        isbn: u64,
        #[cfg(not(any()))] chapter: Option<u32>,
        #[cfg(not(any()))] line: Option<u32>,
        #[cfg(any())] cx: &Nothing,
    ) -> String {
        format!("{isbn} {chapter:?} {line:?}")
    }

    fn names(request: &CompletionRequest) -> Vec<String> {
        vec![format!("{}a", request.value())]
    }
}

async fn ask(method: &str, params: Value) -> Value {
    let mut wire = Wire::to(&Conditional.into_server()).await;
    wire.ask(stateless(1, method, params)).await["result"].take()
}

#[tokio::test]
async fn a_tool_takes_the_parameters_that_are_compiled() {
    let server = Conditional.into_server();
    let tools = list(&server).await;
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str()).collect();
    let expected = ["some", "none", "either", "flat", "asks"];
    assert_eq!(names, expected.map(Some));
    let properties = tools[0]["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(properties["a"]["description"], "The first one.");
    assert_eq!(tools[1]["inputSchema"]["properties"], json!({}));
    for (tool, arguments, expected) in [
        ("some", json!({"a": 1}), "1 None"),
        ("none", json!({}), "2026-07-28"),
        ("either", json!({"a": "text"}), "text"),
        ("flat", json!({"name": "here"}), "here"),
        ("asks", json!({}), "not asked"),
    ] {
        let result = call(&server, tool, arguments).await;
        assert_eq!(result["content"], text(expected)["content"], "{tool}");
    }
}

#[tokio::test]
async fn prompts_and_resources_take_the_parameters_that_are_compiled() {
    let prompts = ask("prompts/list", json!({})).await;
    let arguments = &prompts["prompts"][0]["arguments"];
    assert_eq!(arguments, &json!([{"name": "name", "required": true}]));
    let params = json!({"name": "greet", "arguments": {"name": "Ada"}});
    let prompt = ask("prompts/get", params).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "Greet Ada.");
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "greet"},
        "argument": {"name": "name", "value": "x"},
    });
    let completion = ask("completion/complete", params).await;
    assert_eq!(completion["completion"]["values"], json!(["xa"]));
    let uri = Conditional::book_uri(7, Some(&3), None).to_string();
    assert_eq!(uri, "book://7?chapter=3");
    let read = ask("resources/read", json!({"uri": uri})).await;
    assert_eq!(read["contents"][0]["text"], "7 Some(3) None");
}

/// Adds.
#[tool]
fn add(#[cfg(any())] nothing: Nothing, a: i64, #[cfg(not(any()))] b: i64) -> i64 {
    a + b
}

/// Waits.
#[tool]
async fn wait(#[cfg(not(any()))] cx: &Context, #[cfg(any())] nothing: Nothing) -> String {
    cx.revision().to_string()
}

/// Greets.
#[prompt]
fn hello(#[cfg(not(any()))] name: String, #[cfg(any())] nothing: Nothing) -> String {
    name
}

/// A page.
#[resource("page://{number}")]
fn page(#[cfg(not(any()))] number: u32, #[cfg(any())] nothing: &Nothing) -> String {
    number.to_string()
}

#[tokio::test]
async fn functions_of_their_own_have_conditions_too() {
    assert_eq!(add(1, 2), 3);
    assert_eq!(page::uri(3).to_string(), "page://3");
    let mut server = mcp_runtime::Server::builder();
    server.tool(add).tool(wait).prompt(hello).resource(page);
    let server = server.build();
    let result = call(&server, "add", json!({"a": 1, "b": 2})).await;
    assert_eq!(result["structuredContent"], 3);
    let result = call(&server, "wait", json!({})).await;
    assert_eq!(result["content"], text("2026-07-28")["content"]);
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-11-25").await;
    let params = json!({"name": "hello", "arguments": {"name": "Ada"}});
    let prompt = wire.ask(request(1, "prompts/get", params)).await;
    let content = &prompt["result"]["messages"][0]["content"];
    assert_eq!(content["text"], "Ada", "{prompt}");
}
