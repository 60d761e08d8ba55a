//! Tests tasks over HTTP: headers, principals and scopes.

use std::future::poll_fn;
use std::pin::Pin;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{Request, StatusCode};
use http_body::Body as _;
use mcp_extensions::tasks::{Task, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, HttpOptions, HttpService, Principal, ScopeCheck, http_service,
};
use mcp_runtime::{Server, ServerBuilder};
use tower_service::Service as _;

use crate::wire::ID;

/// Accepts tokens that consist of a name and a scope, such as `ann+films`.
struct Tokens;

impl AccessPolicy for Tokens {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let token = request.headers[AUTHORIZATION].to_str().unwrap().to_owned();
        let (name, scope) = token.split_once('+').unwrap();
        let scope = scope.to_owned();
        request.extensions.insert(Principal::new(name));
        request.extensions.insert(ScopeCheck::new(move |needed| {
            if needed.iter().all(|it| *it == scope) {
                Ok(())
            } else {
                Err(AccessDenied::forbidden())
            }
        }));
        Ok(())
    }
}

struct Studio;

#[mcp_server(undocumented = "allow")]
impl Studio {
    #[tool(with(Task::now()), scopes("films"))]
    async fn render(&self, cx: &Context) -> String {
        let name = cx.principal().unwrap().to_owned();
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        format!("for {name}")
    }
}

struct Site(HttpService);

impl Site {
    async fn of(mut server: ServerBuilder) -> Self {
        server.extension(Tasks::memory());
        let options = HttpOptions::default().auth(Tokens);
        let service = http_service(server.build(), options);
        // The service runs until the end of the test.
        std::mem::forget(service.start().await.unwrap());
        Self(service)
    }

    /// Sends a request with the header `Mcp-Name`, and returns the status and the answer.
    async fn ask(
        &mut self,
        token: &str,
        name: &str,
        method: &str,
        mut params: Value,
    ) -> (StatusCode, Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {ID: {}}},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Request::post("http://localhost/mcp")
            .header("host", "localhost")
            .header(AUTHORIZATION, token)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .header("mcp-name", name)
            .body(message.to_string())
            .unwrap();
        let mut response = self.0.call(request).await.unwrap();
        let mut body = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await {
            body.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        let answer: Value = serde_json::from_slice(&body).unwrap();
        (response.status(), answer)
    }

    async fn start(&mut self, tool: &str) -> String {
        let call = json!({"name": tool, "arguments": {}});
        let (_, created) = self.ask("ann+films", tool, "tools/call", call).await;
        let created = &created["result"];
        assert_eq!(created["resultType"], "task", "{created}");
        created["taskId"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_task_is_there_for_its_principal_with_the_scopes_of_its_tool() {
    let mut site = Site::of(Studio.into_builder()).await;
    let id = site.start("render").await;
    let params = json!({"taskId": id, "inputResponses": {}});
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let (_, answer) = site.ask("bob+films", &id, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let (status, answer) = site.ask("ann+books", &id, method, params.clone()).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method}: {answer}");
        let (status, answer) = site.ask("ann+films", "other", method, params.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{method}");
        assert_eq!(answer["error"]["code"], -32020, "{method}: {answer}");
    }
    let done = loop {
        let (status, answer) = site
            .ask("ann+films", &id, "tasks/get", params.clone())
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        if answer["result"]["status"] == "completed" {
            break answer["result"]["result"].clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(done["content"][0]["text"], "for ann", "{done}");
}

#[tokio::test]
async fn tools_of_a_mounted_server_use_the_tasks_of_the_outer_one() {
    let mut inner = Studio.into_builder();
    inner.extension(Tasks::memory());
    let mut outer = Server::builder();
    outer.mount("studio", inner.build()).scopes(["outer"]);
    let mut site = Site::of(outer).await;
    let call = json!({"name": "studio_render", "arguments": {}});
    let (status, answer) = site
        .ask("ann+films", "studio_render", "tools/call", call)
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");

    let mut outer = Server::builder();
    let mut inner = Studio.into_builder();
    inner.extension(Tasks::memory());
    outer.mount("studio", inner.build());
    let mut site = Site::of(outer).await;
    let id = site.start("studio_render").await;
    let (_, answer) = site
        .ask("ann+films", &id, "tasks/get", json!({"taskId": id}))
        .await;
    assert_eq!(answer["result"]["taskId"], id, "{answer}");
}
