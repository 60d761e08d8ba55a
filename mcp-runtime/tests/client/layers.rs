//! Layers around the calls of a client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::client::ResponseCache;
use mcp_runtime::layer::{McpRequest, McpResponse, Next, RateLimit, TooManyRequests, from_fn};
use mcp_runtime::types::ListToolsRequest;
use mcp_runtime::{CallError, Client, ClientBuilder, ProtocolError, Revision};
use serde_json::{Value, json};

use crate::support::builder as fixture;
use crate::support::scripted::{operating, said, stateless};

type Record = Arc<Mutex<Vec<String>>>;

fn recorded() -> (ClientBuilder, Record) {
    let record = Record::default();
    let noting = Arc::clone(&record);
    let client =
        Client::builder("test", "1").layer(from_fn(move |request: McpRequest, next: Next| {
            let target = request.target().unwrap_or_default();
            let about = format!("{} {target}", request.method());
            assert!(request.context().is_none() && request.principal().is_none());
            noting.lock().unwrap().push(about);
            next.run(request)
        }));
    (client, record)
}

fn take(record: &Record) -> Vec<String> {
    std::mem::take(&mut record.lock().unwrap())
}

async fn connected(client: ClientBuilder, revision: Revision) -> Client {
    let (ours, theirs) = mcp_runtime::transport::memory::pair();
    tokio::spawn(fixture().build().serve(theirs).signals(false).into_future());
    client.revision(revision).connect(ours).await.unwrap()
}

const REVISIONS: [Revision; 2] = [Revision::V2025_06_18, Revision::LATEST];

#[tokio::test]
async fn each_call_passes_once_and_nothing_else_does() {
    for revision in REVISIONS {
        let (builder, record) = recorded();
        let client = connected(builder, revision).await;
        assert_eq!(take(&record), Vec::<String>::new());
        client.call_tool("echo", json!({"a": 1})).await.unwrap();
        client.list_tools().await.unwrap();
        let _ = client.ping().await;
        let _ = client.read_resource("a://b").await;
        let passed = ["tools/call echo", "tools/list ", "resources/read a://b"];
        assert_eq!(take(&record), passed);
    }
}

#[tokio::test]
async fn rounds_and_lists_that_a_call_needs_are_inside() {
    let (builder, record) = recorded();
    let builder = builder.on_form(async |form| form.accept(json!({"name": "Ada"})));
    let (client, mut server) = stateless(builder).await;
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call::<Vec<i64>>("ask", json!({})).await.unwrap() }
    });
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let (id, _) = server.expect("tools/call").await;
    let question = json!({"method": "elicitation/create",
        "params": {"mode": "form", "message": "Who?", "requestedSchema": schema}});
    let wanted = json!({"resultType": "input_required", "inputRequests": {"who": question}});
    server.answer(&id, wanted).await;
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["inputResponses"]["who"]["content"]["name"], "Ada");
    let result = json!({"content": [], "structuredContent": {"result": [1, 2]}});
    server.answer(&id, result).await;
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, json!({"tools": []})).await;
    assert_eq!(call.await.unwrap(), [1, 2]);
    assert_eq!(take(&record), ["tools/call ask"]);
}

#[tokio::test]
async fn the_cache_is_inside() {
    let (builder, record) = recorded();
    let (client, mut server) = stateless(builder.cache(ResponseCache::new())).await;
    for round in 0..2 {
        let listing = tokio::spawn({
            let client = client.clone();
            async move { client.list_tools().await.unwrap() }
        });
        if round == 0 {
            let (id, _) = server.expect("tools/list").await;
            server
                .answer(&id, json!({"tools": [], "ttlMs": 60_000}))
                .await;
        }
        listing.await.unwrap();
    }
    assert_eq!(take(&record), ["tools/list ", "tools/list "]);
}

#[tokio::test]
async fn parameters_and_results_can_be_replaced() {
    for revision in REVISIONS {
        let builder = Client::builder("test", "1").layer(from_fn(
            async |mut request: McpRequest, next: Next| {
                let mut params: Value = request.parse_params()?;
                params["name"] = "echo".into();
                params["arguments"] = json!({"secret": 1});
                request.set_params(params);
                let response = next.run(request).await?;
                let text = response.json()?.unwrap_or_default();
                Ok(McpResponse::new(text.replace("secret", "hidden"))?)
            },
        ));
        let client = connected(builder, revision).await;
        let result = client.call_tool("any", json!({})).await.unwrap();
        let text = result.content[0].as_text().unwrap();
        assert_eq!(text, r#"{"hidden":1}"#);
    }
}

#[tokio::test]
async fn a_layer_can_call_again() {
    let builder =
        Client::builder("test", "1").layer(from_fn(async |request: McpRequest, next: Next| {
            match next.clone().run(request.clone()).await {
                Ok(response) => Ok(response),
                Err(_) => next.run(request).await,
            }
        }));
    let (client, mut server) = operating(builder).await;
    let call = tokio::spawn(async move { client.call::<String>("x", json!({"a": 1})).await });
    let (id, first) = server.expect("tools/call").await;
    server.refuse(&id, -32603, Value::Null).await;
    let (id, second) = server.expect("tools/call").await;
    assert_eq!(first, second);
    server.answer(&id, said("done")).await;
    assert_eq!(call.await.unwrap().unwrap(), "done");
}

#[tokio::test]
async fn errors_of_layers_are_those_of_the_call() {
    async fn failing<E>(error: fn() -> E) -> CallError
    where
        E: Into<mcp_runtime::layer::BoxError> + 'static,
    {
        let builder =
            Client::builder("test", "1").layer(from_fn(move |_: McpRequest, _: Next| async move {
                Err(error().into())
            }));
        let client = connected(builder, Revision::LATEST).await;
        client.call_tool("echo", json!({})).await.unwrap_err()
    }
    let error = failing(|| ProtocolError::new(-32050, "closed")).await;
    assert!(
        matches!(&error, CallError::Rpc(error) if error.code == -32050),
        "{error}"
    );
    let error = failing(|| CallError::Full).await;
    assert!(matches!(error, CallError::Full), "{error}");
    let error = failing(|| TooManyRequests::retry_after(Duration::from_secs(1))).await;
    assert!(matches!(&error, CallError::Layer(error) if error.is::<TooManyRequests>()));
    // The errors of the call itself pass through layers unchanged.
    let (builder, _) = recorded();
    let client = connected(builder, Revision::LATEST).await;
    let error = client.call_tool("refuse", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Rpc(error) if error.code == -32050),
        "{error}"
    );
    let error = client.call_tool("echo", "no object").await.unwrap_err();
    assert!(matches!(error, CallError::Params(_)), "{error}");
}

#[tokio::test]
async fn a_result_of_a_layer_has_to_fit() {
    let builder = Client::builder("test", "1").layer(from_fn(async |_: McpRequest, _: Next| {
        Ok(McpResponse::new(r#"{"tools":7}"#)?)
    }));
    let client = connected(builder, Revision::LATEST).await;
    let page = client.request::<ListToolsRequest>(Default::default());
    let error = page.await.unwrap_err();
    assert!(matches!(error, CallError::Result { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_client_limits_the_rate_of_all_its_calls() {
    let limit = RateLimit::per_principal(1, Duration::from_secs(1));
    let client = connected(Client::builder("test", "1").layer(limit), Revision::LATEST).await;
    client.call_tool("echo", json!({})).await.unwrap();
    let error = client.list_tools().await.unwrap_err();
    assert!(error.to_string().contains("too many requests"), "{error}");
    tokio::time::advance(Duration::from_secs(1)).await;
    client.list_tools().await.unwrap();
}

#[tokio::test]
async fn a_call_that_is_dropped_in_a_layer_is_cancelled() {
    let (builder, _) = recorded();
    let (client, mut server) = operating(builder).await;
    let call = tokio::spawn(async move { client.call_tool("x", json!({})).await });
    let (id, _) = server.expect("tools/call").await;
    call.abort();
    let cancelled = server.expect("notifications/cancelled").await.1;
    assert_eq!(cancelled["requestId"], id);
}
