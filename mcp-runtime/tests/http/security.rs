//! Checks of host, origin and limits.

use std::convert::Infallible;

use http::Request;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{FromContext as _, Reply};
use mcp_runtime::transport::http::{HttpOptions, HttpRequest, Principal};
use mcp_runtime::types::Tool;
use serde_json::json;
use tower_service::Service as _;

use crate::site::Site;
use crate::support::mounted::mounted;
use crate::support::{self, stateless};

async fn status(site: &Site, name: &'static str, value: &str) -> u16 {
    let mut request = site.stateless(&stateless(1, "tools/list", json!({})));
    request.headers_mut().insert(name, value.parse().unwrap());
    site.send(request).await.status.as_u16()
}

#[tokio::test]
async fn only_this_machine_is_served_by_default() {
    let site = Site::open().await;
    assert_eq!(status(&site, "host", "evil.example.com").await, 403);
    assert_eq!(
        status(&site, "origin", "http://evil.example.com").await,
        403
    );
    assert_eq!(status(&site, "origin", "null").await, 403);
    let own = site.addr.to_string();
    assert_eq!(status(&site, "host", &own).await, 200);
    assert_eq!(status(&site, "origin", &format!("http://{own}")).await, 200);
}

#[tokio::test]
async fn pages_may_read_answers_only_where_their_origin_is_allowed() {
    let options = HttpOptions::default().allowed_origins(["https://app.example.com"]);
    for (options, allowed) in [(HttpOptions::default(), false), (options, true)] {
        let site = Site::with(options).await;
        let preflight = site
            .request("OPTIONS")
            .header("origin", "https://app.example.com")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "mcp-method");
        let answer = site.send(preflight.body(String::new()).unwrap()).await;
        assert_eq!(answer.status, if allowed { 204 } else { 403 });
        let origin = answer.header("access-control-allow-origin");
        assert_eq!(origin.is_some(), allowed, "{answer:?}");

        let mut request = site.stateless(&stateless(1, "tools/list", json!({})));
        let origin = "https://app.example.com".parse().unwrap();
        request.headers_mut().insert("origin", origin);
        let answer = site.send(request).await;
        assert_eq!(answer.status, if allowed { 200 } else { 403 });
        let origin = answer.header("access-control-allow-origin");
        assert_eq!(origin, allowed.then_some("https://app.example.com"));
    }
}

#[tokio::test]
async fn handlers_see_the_request_and_who_sent_it() {
    let mut server = support::builder();
    let tool = Tool::new("who", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let request = HttpRequest::from_context(call.context).unwrap();
        let agent = request.headers["user-agent"].to_str().unwrap();
        let principal = request.principal().unwrap().name();
        Reply::Ready(Ok(support::text(format!("{principal} by {agent}"))))
    }));
    let mut service = mounted(server.build(), HttpOptions::default()).await;
    let message = stateless(1, "tools/call", json!({"name": "who"}));
    let mut request = request(&message)
        .header("user-agent", "test")
        .body(message.to_string())
        .unwrap();
    request.extensions_mut().insert(Principal::new("ann"));
    let response: Result<_, Infallible> = service.call(request).await;
    let mut body = response.unwrap().into_body();
    let frame =
        std::future::poll_fn(|cx| http_body::Body::poll_frame(std::pin::Pin::new(&mut body), cx));
    let bytes = frame.await.unwrap().unwrap().into_data().unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.contains("ann by test"), "{text}");
}

#[tokio::test]
async fn a_session_exists_only_for_who_opened_it() {
    let mut service = mounted(support::server(), HttpOptions::default()).await;
    let ann = Principal::new("ann");
    let mut send = |message: serde_json::Value, id: Option<&str>, principal: Option<&Principal>| {
        let mut request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json");
        if let Some(id) = id {
            request = request.header("mcp-session-id", id);
        }
        let mut request = request.body(message.to_string()).unwrap();
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal.clone());
        }
        service.call(request)
    };
    let opened = send(support::initialize("2025-06-18"), None, Some(&ann))
        .await
        .unwrap();
    let id = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let bob = Principal::new("bob");
    for (principal, status) in [(Some(&ann), 200), (Some(&bob), 404), (None, 404)] {
        let answer = send(ping(), Some(&id), principal).await.unwrap();
        assert_eq!(answer.status(), status, "{principal:?}");
    }
}

fn request(message: &serde_json::Value) -> http::request::Builder {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", message["method"].as_str().unwrap())
        .header("mcp-name", message["params"]["name"].as_str().unwrap())
}
