//! Methods of extensions over HTTP, and calls that outlive their request.

use std::sync::Arc;

use http::Request;
use http::header::AUTHORIZATION;
use http::request::Parts;
use mcp_runtime::BoxFuture;
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next};
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::server::{DetachedCall, Extension, ToolExtension};
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, HttpOptions, HttpRequest, Principal, ScopeCheck, http_service,
};
use mcp_runtime::types::{InputRequest, JsonObject, RawJson};
use mcp_runtime::{ExtensionMethod, ProtocolError, Revision, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::site::Site;
use crate::support::{self, stateless};

const ID: &str = "com.example/parcels";
const TRACK: ExtensionMethod = ExtensionMethod::new("com.example/parcels/track").named_by("number");

struct Parcels;

impl Extension for Parcels {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        server.method(TRACK, async |asked: Value, _| {
            Ok::<_, ProtocolError>(json!({"at": asked["number"]}))
        });
    }
}

/// Returns a request of a client that declares the extension.
fn track(params: Value) -> Value {
    let mut message = stateless(1, TRACK.name(), params);
    let capabilities = json!({"extensions": {ID: {}}});
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    message
}

fn named(site: &Site, message: &Value, name: Option<&str>) -> Request<String> {
    let mut request = site.stateless(message);
    if let Some(name) = name {
        request
            .headers_mut()
            .insert("mcp-name", name.parse().unwrap());
    }
    request
}

#[tokio::test]
async fn the_header_of_the_name_repeats_the_parameter_that_the_method_is_named_by() {
    let mut server = support::builder();
    let site = Site::of(&server.extension(Parcels).build());
    let message = track(json!({"number": "n 1"}));
    let answer = site.send(named(&site, &message, Some("n 1"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"]["at"], "n 1");
    let answer = site.send(named(&site, &message, Some("n 2"))).await;
    assert_eq!((answer.status.as_u16(), answer.error_code()), (400, -32020));
    // Some clients omit the header.
    let answer = site.send(named(&site, &message, None)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    // A parameter that a header can't repeat is left to the method.
    let answer = site.send(named(&site, &track(json!({})), None)).await;
    assert_eq!(answer.json()["result"]["at"], Value::Null, "{answer:?}");
    site.lives_on().await;
}

#[tokio::test]
async fn a_client_that_does_not_declare_the_extension_is_refused() {
    let mut server = Server::builder();
    let site = Site::of(&server.extension(Parcels).build());
    let message = stateless(1, TRACK.name(), json!({"number": "1"}));
    let answer = site.send(named(&site, &message, Some("1"))).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(
        answer.json()["error"],
        json!({
            "code": -32021,
            "message": format!("Missing required client capability: extensions.{ID}"),
            "data": {"requiredCapabilities": {"extensions": {ID: {}}}},
        })
    );
}

/// Detaches each call before its function is entered, and reports its result.
struct Detach {
    alone: bool,
    results: mpsc::UnboundedSender<String>,
}

struct Deaf;

impl DetachedCall for Deaf {
    fn ask(&self, _: String, _: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>> {
        Box::pin(std::future::pending())
    }
}

impl ToolExtension for Detach {
    fn call(
        self: Arc<Self>,
        mut request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(async move {
            let mut call = request.detachable(!self.alone).unwrap();
            let mut work = Box::pin(next.run(request));
            tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                () = call.entered() => {}
            }
            let detached = call.detach(Arc::new(Deaf));
            let results = self.results.clone();
            tokio::spawn(async move {
                let outcome = work.await.unwrap();
                results
                    .send(outcome.json().unwrap().unwrap().into_owned())
                    .unwrap();
                drop(detached);
            });
            Ok(McpResponse::of(
                &json!({"resultType": "com.example/later"}),
            )?)
        })
    }
}

/// Admits every caller by name, with the scope `read`.
struct Names;

impl AccessPolicy for Names {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let name = request.headers[AUTHORIZATION].to_str().unwrap().to_owned();
        request.extensions.insert(Principal::new(&name));
        let check = ScopeCheck::new(|needed: &[&str]| match needed {
            ["read"] => Ok(()),
            _ => Err(AccessDenied::forbidden()),
        });
        request.extensions.insert(check);
        Ok(())
    }
}

/// Returns what a handler knows about the caller after the request was answered.
async fn seen(alone: bool) -> String {
    let (results, mut receiver) = mpsc::unbounded_channel();
    let (go, gone) = tokio::sync::watch::channel(false);
    let tool =
        mcp_runtime::server::tools::ToolBuilder::new("look").call_async(move |(), cx: Context| {
            let mut gone = gone.clone();
            async move {
                gone.wait_for(|gone| *gone).await.unwrap();
                let principal = cx.principal().unwrap().to_owned();
                let request = cx.identity::<Principal>().is_some();
                let scopes = [cx.require_scopes(&["read"]), cx.require_scopes(&["write"])];
                let scopes = scopes.map(|outcome| outcome.is_ok());
                let http = HttpRequest::from_context(&cx).is_ok();
                format!("{principal} {request} {scopes:?} {http}")
            }
        });
    let mut server = Server::builder();
    server.tool(tool.with(Detach { alone, results }));
    let options = HttpOptions::default().auth(Names);
    let site = Site::of_with(&server.build(), options);
    let message = stateless(1, "tools/call", json!({"name": "look"}));
    let mut request = site.stateless(&message);
    request
        .headers_mut()
        .insert(AUTHORIZATION, "ada".parse().unwrap());
    let answer = site.send(request).await;
    assert_eq!(answer.json()["result"]["resultType"], "com.example/later");
    go.send_replace(true);
    let result: Value = serde_json::from_str(&receiver.recv().await.unwrap()).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_detached_call_keeps_its_caller_and_not_its_request() {
    assert_eq!(seen(true).await, "ada true [true, false] false");
    assert_eq!(seen(false).await, "ada true [true, false] true");
}

/// A tool that can't be served without an extension.
struct NeedsLater;

impl ToolExtension for NeedsLater {
    fn needs(&self) -> Option<&'static str> {
        Some("com.example/later")
    }
}

#[tokio::test]
async fn an_extension_that_is_missing_is_found_when_a_mounted_service_starts() {
    let mut server = Server::builder();
    server.tool(ToolBuilder::new("work").call(|(), _| 1).with(NeedsLater));
    match http_service(server.build(), HttpOptions::default())
        .start()
        .await
    {
        Err(ServeError::MissingExtension { tool, .. }) => assert_eq!(tool, "work"),
        other => panic!("{other:?}"),
    }
}
