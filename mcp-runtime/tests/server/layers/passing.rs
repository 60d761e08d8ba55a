//! How requests pass through layers, and which requests do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::layer::{McpRequest, McpResponse, Next, RequestLayer, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::ToolBuilder;
use serde_json::{Value, json};
use tower::limit::ConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;

use super::{Record, both, recording};
use crate::support::{Wire, builder, call, request, stateless};

#[tokio::test]
async fn the_first_layer_is_the_outermost() {
    let mut server = builder();
    let record = Record::default();
    server.layer(recording(&record, "outer"));
    server.layer(recording(&record, "inner"));
    for answer in both(&server.build(), "echo", json!({"a": 1})).await {
        assert_eq!(answer["result"]["content"][0]["text"], r#"{"a":1}"#);
    }
    let around = [
        "outer tools/call echo",
        "inner tools/call echo",
        "inner tools/call echo: answered",
        "outer tools/call echo: answered",
    ];
    assert_eq!(record.take(), [around, around].concat());
}

#[tokio::test]
async fn every_admitted_request_passes_and_no_other() {
    let mut server = builder();
    let record = Record::default();
    server.layer(recording(&record, "layer"));
    server.method("com.example/now", async |_: Value, _| {
        Ok::<_, String>(json!({}))
    });
    let server = server.build();
    let mut wire = Wire::to(&server).await;
    wire.ask(request("early", "ping", json!({}))).await;
    wire.ask(request("early", "tools/list", json!({}))).await;
    wire.handshake("2025-06-18").await;
    assert_eq!(record.take(), Vec::<String>::new());
    for method in ["ping", "tools/list", "com.example/now"] {
        wire.ask(request(1, method, json!({}))).await;
        let passed = [
            format!("layer {method} "),
            format!("layer {method} : answered"),
        ];
        assert_eq!(record.take(), passed);
    }
    for (method, params) in [
        ("nothing", json!({})),
        ("initialize", json!({})),
        ("tools/list", json!([])),
    ] {
        wire.ask(request(1, method, params)).await;
        assert_eq!(record.take(), Vec::<String>::new(), "{method}");
    }
    wire.ask(request(1, "prompts/list", json!({}))).await;
    assert_eq!(record.take()[1], "layer prompts/list : refused");
    let discover = wire.ask(stateless(1, "server/discover", json!({}))).await;
    assert!(discover["result"]["capabilities"].is_object());
    assert_eq!(record.take()[1], "layer server/discover : answered");
}

#[tokio::test]
async fn a_layer_sees_failed_tools_and_refusals() {
    let mut server = builder();
    let record = Record::default();
    server.layer(recording(&record, "layer"));
    server.tool(ToolBuilder::new("fails").call(|(), _| Err::<String, _>(ToolError::new("no"))));
    let server = server.build();
    both(&server, "fails", json!({})).await;
    both(&server, "refuse", json!({})).await;
    both(&server, "nowhere", json!({})).await;
    let outcomes = record.take().into_iter().filter(|it| it.contains(": "));
    assert!(outcomes.eq([
        "layer tools/call fails: failed",
        "layer tools/call fails: failed",
        "layer tools/call refuse: refused",
        "layer tools/call refuse: refused",
        "layer tools/call nowhere: refused",
        "layer tools/call nowhere: refused",
    ]));
}

#[tokio::test]
async fn what_a_layer_makes_is_completed_like_other_results() {
    let mut server = builder();
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        let mut response = next.run(request).await?;
        if let Some(text) = response.json()?.as_deref() {
            let redacted = text.replace("secret", "******");
            response = McpResponse::new(redacted)?;
        }
        Ok(response)
    }));
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        if request.target().as_deref() == Some("never") {
            return Ok(McpResponse::new(
                r#"{"z": 18446744073709551615, "content": []}"#,
            )?);
        }
        next.run(request).await
    }));
    let server = server.build();
    let [old, new] = both(&server, "echo", json!({"it": "secret"})).await;
    let content = json!([{"type": "text", "text": r#"{"it":"******"}"#}]);
    assert_eq!(old["result"], json!({"content": content}));
    assert_eq!(new["result"]["content"], content);
    assert_eq!(new["result"]["resultType"], "complete");
    let info = &new["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "fixture");
    let [old, new] = both(&server, "never", json!({})).await;
    assert_eq!(old["result"]["content"], json!([]));
    assert!(old["result"].get("resultType").is_none());
    assert_eq!(new["result"]["resultType"], "complete");
    let info = &new["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "fixture");
}

/// Information about the caller that a layer adds.
#[derive(Clone, Debug, PartialEq, FromContext)]
#[from_context(identity)]
struct Tenant(String);

#[tokio::test]
async fn values_reach_inner_layers_and_handlers() {
    struct Who;

    #[mcp_server(undocumented = "allow")]
    impl Who {
        #[tool]
        fn who(&self, tenant: &Tenant) -> String {
            tenant.0.clone()
        }

        #[tool]
        fn perhaps(&self, tenant: Option<&Tenant>) -> String {
            tenant.map_or("nobody", |tenant| &tenant.0).to_owned()
        }
    }

    let mut server = Who.into_builder();
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        assert_eq!(request.get::<Tenant>(), None);
        if request.target().as_deref() == Some("who") {
            request.insert(Tenant("first".to_owned()));
            request.insert(Tenant("acme".to_owned()));
        }
        next.run(request).await
    }));
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        let context = request.context().unwrap();
        assert_eq!(context.identity::<Tenant>(), request.get());
        next.run(request).await
    }));
    let server = server.build();
    for answer in both(&server, "who", json!({})).await {
        assert_eq!(answer["result"]["content"][0]["text"], "acme", "{answer}");
    }
    for answer in both(&server, "perhaps", json!({})).await {
        assert_eq!(answer["result"]["content"][0]["text"], "nobody", "{answer}");
    }
}

#[tokio::test]
async fn parameters_can_be_replaced() {
    let mut server = builder();
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        let mut params: Value = request.parse_params()?;
        if params["name"] == "old-name" {
            params["name"] = "echo".into();
            params["arguments"]["added"] = 1.into();
            request.set_params(params);
        }
        next.run(request).await
    }));
    for answer in both(&server.build(), "old-name", json!({"given": 0})).await {
        let text = &answer["result"]["content"][0]["text"];
        assert_eq!(text, r#"{"given":0,"added":1}"#, "{answer}");
    }
}

/// Returns a layer that calls twice, and returns the second outcome.
fn twice() -> impl RequestLayer {
    from_fn(async |request: McpRequest, next: Next| {
        next.clone().run(request.clone()).await?;
        next.run(request).await
    })
}

#[tokio::test(start_paused = true)]
async fn a_layer_that_calls_twice_reports_once() {
    let mut server = builder();
    server.layer(twice());
    let steps = ToolBuilder::new("steps").call_async(|(), cx| async move {
        let progress = Progress::from_context(&cx).unwrap();
        for step in 1..=3 {
            progress.report(f64::from(step), 3.0, "");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        "done"
    });
    server.tool(steps);
    let server = server.build();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-06-18").await;
    let mut asked = call(1, "steps", json!({}));
    asked["params"]["_meta"] = json!({"progressToken": "t"});
    wire.send(asked).await;
    let mut amounts = Vec::new();
    loop {
        let message = wire.answer().await;
        if message["id"] == 1 {
            assert_eq!(message["result"]["content"][0]["text"], "done");
            break;
        }
        amounts.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert_eq!(amounts, [1.0, 2.0, 3.0]);
}

fn asking(entered: &Arc<AtomicUsize>) -> mcp_runtime::server::tools::ToolEntry {
    let entered = Arc::clone(entered);
    ToolBuilder::new("ask").call_async(move |(), cx| {
        entered.fetch_add(1, Ordering::Relaxed);
        async move {
            let answer = cx.elicit::<Name>("Who?").await?;
            Ok::<_, AskError>(answer.name)
        }
    })
}

#[derive(Debug, Deserialize, JsonSchema, Elicit)]
struct Name {
    name: String,
}

fn with_forms(mut message: Value) -> Value {
    let capabilities = json!({"elicitation": {"form": {}}});
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    message
}

#[tokio::test]
async fn each_stateless_round_is_a_request() {
    let mut server = builder();
    let record = Record::default();
    let entered = Arc::default();
    server.layer(recording(&record, "layer"));
    server.tool(asking(&entered));
    let mut wire = Wire::to(&server.build()).await;
    let asked = with_forms(stateless(1, "tools/call", json!({"name": "ask"})));
    let answer = wire.ask(asked.clone()).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let (key, _) = result["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let mut retry = asked;
    retry["params"]["requestState"] = result["requestState"].clone();
    retry["params"]["inputResponses"] =
        json!({key: {"action": "accept", "content": {"name": "Ada"}}});
    let answer = wire.ask(retry).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Ada", "{answer}");
    let passed = [
        "layer tools/call ask",
        "layer tools/call ask: asks",
        "layer tools/call ask again",
        "layer tools/call ask again: answered",
    ];
    assert_eq!(record.take(), passed);
}

#[tokio::test]
async fn state_belongs_to_the_parameters_as_they_came() {
    let mut server = builder();
    let entered = Arc::default();
    // This layer replaces all parameters, including the state and the client's answers.
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        request.set_params(json!({"name": "ask", "arguments": {"own": request.is_retry()}}));
        next.run(request).await
    }));
    server.tool(asking(&entered));
    let mut wire = Wire::to(&server.build()).await;
    let asked = with_forms(stateless(
        1,
        "tools/call",
        json!({"name": "any", "arguments": {"a": 1}}),
    ));
    let answer = wire.ask(asked.clone()).await;
    let result = &answer["result"];
    let (key, _) = result["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let mut retry = asked;
    retry["params"]["requestState"] = result["requestState"].clone();
    retry["params"]["inputResponses"] =
        json!({key: {"action": "accept", "content": {"name": "Ada"}}});
    let mut other = retry.clone();
    other["params"]["arguments"] = json!({"a": 2});
    let answer = wire.ask(other).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = wire.ask(retry).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Ada", "{answer}");
}

#[tokio::test]
async fn a_call_with_questions_can_be_made_twice_in_both_eras() {
    let mut server = builder();
    let entered: Arc<AtomicUsize> = Arc::default();
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        let response = next.clone().run(request.clone()).await?;
        if response.is_input_required() {
            Ok(response)
        } else {
            next.run(request).await
        }
    }));
    server.tool(asking(&entered));
    let server = server.build();
    for revision in [
        mcp_runtime::Revision::V2025_06_18,
        mcp_runtime::Revision::LATEST,
    ] {
        let (ours, theirs) = mcp_runtime::transport::memory::pair();
        tokio::spawn(server.serve(theirs).signals(false).into_future());
        let client = mcp_runtime::Client::builder("test", "1")
            .revision(revision)
            .on_form(async |form| form.accept(json!({"name": "Ada"})))
            .connect(ours)
            .await
            .unwrap();
        let answer: String = client.call("ask", json!({})).await.unwrap();
        assert_eq!(answer, "Ada");
    }
}

#[tokio::test]
async fn a_subscription_is_accepted_before_its_stream_begins() {
    let mut server = builder();
    let record = Record::default();
    server.list_changed([mcp_runtime::server::List::Tools]);
    server.layer(recording(&record, "layer"));
    // If the stream were part of the call, it would occupy the only place as long as it lasts.
    server.layer(ConcurrencyLimitLayer::new(1));
    let server = server.build();
    let mut wire = Wire::to(&server).await;
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    wire.send(stateless(1, "subscriptions/listen", wanted))
        .await;
    let acknowledged = wire.answer().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let accepted = [
        "layer subscriptions/listen ",
        "layer subscriptions/listen : accepted",
    ];
    assert_eq!(record.take(), accepted);
    wire.lives_on().await;
    server.notify_changed(mcp_runtime::Change::Tools);
    let changed = wire.answer().await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn each_member_of_a_batch_passes_by_itself() {
    let mut server = builder();
    let record = Record::default();
    server.layer(recording(&record, "layer"));
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-03-26").await;
    let batch = json!([call(1, "echo", json!({})), call(2, "soon", json!({}))]);
    let answers = wire.ask(batch).await;
    assert_eq!(answers.as_array().unwrap().len(), 2);
    let passed = record.take();
    assert_eq!(passed.len(), 4, "{passed:?}");
}

#[tokio::test]
async fn readiness_of_inner_services_is_passed_on() {
    let mut server = builder();
    server.layer(LoadShedLayer::new());
    server.layer(ConcurrencyLimitLayer::new(1));
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-06-18").await;
    wire.send(call(1, "never", json!({}))).await;
    let answer = wire.ask(call(2, "echo", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    wire.send(cancel).await;
    loop {
        let answer = wire.ask(call(3, "echo", json!({}))).await;
        if answer.get("result").is_some() {
            break;
        }
    }
}

#[test]
fn a_response_is_an_object_and_hides_it_in_debug_output() {
    fn is_shareable<T: Send + Sync>(_: &T) {}
    let response = McpResponse::new(r#"{"secret":1}"#).unwrap();
    is_shareable(&response);
    assert_eq!(format!("{response:?}"), r#"McpResponse("Json")"#);
    for other in ["[]", "7", "\"{}\"", "{", ""] {
        let error = McpResponse::new(other).unwrap_err().to_string();
        assert!(
            error.starts_with("a response must be a JSON object"),
            "{error}"
        );
    }
    assert!(McpResponse::of(&"text").is_err());
}
