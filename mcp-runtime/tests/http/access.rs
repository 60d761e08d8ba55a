//! Access policies: which callers are admitted, how others are answered, and what handlers know
//! about the caller.

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{Request, Response};
use http_body::Body as _;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, Http, HttpOptions, HttpService, Principal, ResponseBody,
    ResponseHeaders,
};
use serde_json::{Value, json};
use tower_service::Service as _;
use tracing::Level;

use crate::site::{Answer, Site};
use crate::support::log::Log;
use crate::support::mounted::mounted;
use crate::support::{self, stateless};

const CHALLENGE: &str = r#"Bearer resource_metadata="https://example.com/about""#;
const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";
const NONCE: &str = "dpop-nonce";
const PAGE: &str = "https://app.example.com";

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User(&'static str);

/// Accepts the names of users as tokens.
#[derive(Clone, Default)]
struct Tokens {
    asked: Arc<AtomicUsize>,
}

impl Tokens {
    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl AccessPolicy for Tokens {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let header = request.headers.remove(AUTHORIZATION);
        let header = header.as_ref().and_then(|header| header.to_str().ok());
        let name = match header.and_then(|header| header.strip_prefix("Bearer ")) {
            Some("ann") => "ann",
            Some("bob") => "bob",
            Some("weak") => {
                let scope = HeaderValue::from_static(r#"Bearer error="insufficient_scope""#);
                return Err(AccessDenied::forbidden().header(WWW_AUTHENTICATE, scope));
            }
            Some("early") => return Err(AccessDenied::unavailable(Duration::from_secs(5))),
            Some("slow") => pending().await,
            Some("nonce") => {
                let nonce = HeaderValue::from_static("n-2");
                let headers = HeaderMap::from_iter([(HeaderName::from_static(NONCE), nonce)]);
                request.extensions.insert(ResponseHeaders(headers));
                "nonce"
            }
            Some("s3cret-that-breaks") => panic!("s3cret-that-breaks"),
            _ => {
                let denied = AccessDenied::unauthorized(HeaderValue::from_static(CHALLENGE));
                let nonce = HeaderName::from_static(NONCE);
                let denied = denied.header(nonce, HeaderValue::from_static("n-1"));
                return Err(denied.message("log in first"));
            }
        };
        request.extensions.insert(Principal::new(name));
        request.extensions.insert(User(name));
        Ok(())
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        assert_ne!(path, "/broken");
        (path == METADATA).then(|| Bytes::from_static(br#"{"resource":"https://example.com/mcp"}"#))
    }
}

struct Door;

#[mcp_server(undocumented = "allow")]
impl Door {
    #[tool]
    fn who(&self, user: &User, principal: &Principal, parts: &Parts) -> String {
        let has_token = parts.headers.contains_key(AUTHORIZATION);
        format!("{} {} {has_token}", user.0, principal.name())
    }
}

fn who() -> Value {
    stateless(1, "tools/call", json!({"name": "who"}))
}

fn as_user(mut request: Request<String>, token: &str) -> Request<String> {
    let header = format!("Bearer {token}").parse().unwrap();
    request.headers_mut().insert(AUTHORIZATION, header);
    request
}

async fn list(site: &Site, token: &str) -> Answer {
    let list = stateless(1, "tools/list", json!({}));
    site.send(as_user(site.stateless(&list), token)).await
}

fn message(answer: &Answer) -> String {
    let error = &answer.json()["error"];
    error["message"].as_str().unwrap().to_owned()
}

/// Returns a mounted service, and a function that makes a call of one of its tools.
async fn serving(options: HttpOptions) -> (HttpService, impl Fn(&str) -> Request<String>) {
    let service = mounted(Door.into_server(), options).await;
    let request = |token: &str| {
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "who");
        as_user(request.body(who().to_string()).unwrap(), token)
    };
    (service, request)
}

async fn body(response: Result<Response<ResponseBody>, Infallible>) -> String {
    let mut body = response.unwrap().into_body();
    let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
    let bytes = frame.unwrap().unwrap().into_data().unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn who_is_not_admitted_gets_the_answer_of_the_policy() {
    let site = Site::serve(|http| http.auth(Tokens::default())).await;
    let answer = site.ask(&stateless(1, "tools/list", json!({}))).await;
    assert_eq!(answer.status, 401);
    assert_eq!(answer.header("www-authenticate"), Some(CHALLENGE));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.error_code(), -32600);
    assert_eq!(message(&answer), "log in first");

    let answer = list(&site, "weak").await;
    assert_eq!(answer.status, 403);
    let challenge = answer.header("www-authenticate").unwrap();
    assert!(challenge.contains("insufficient_scope"), "{challenge}");

    let answer = list(&site, "early").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), Some("5"));
    assert_eq!(answer.headers.get_all("retry-after").iter().count(), 1);
    assert_eq!(answer.error_code(), -32603);

    assert_eq!(list(&site, "ann").await.status, 200);
}

#[tokio::test]
async fn handlers_know_whom_the_policy_has_admitted() {
    let (mut service, request) = serving(HttpOptions::default().auth(Tokens::default())).await;
    for (token, text) in [("ann", "ann ann false"), ("bob", "bob bob false")] {
        let answer = body(service.call(request(token)).await).await;
        assert!(answer.contains(text), "{answer}");
    }
}

#[tokio::test]
async fn every_entrance_is_under_the_policy() {
    let tokens = Tokens::default();
    let configure = |http: Http| http.auth(tokens.clone());
    #[cfg(feature = "sse")]
    let configure = |http: Http| configure(http.with_sse());
    #[cfg(feature = "websocket")]
    let configure = |http: Http| configure(http.with_websocket("/ws"));
    let site = Site::serve(configure).await;
    let mut entrances = vec![("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")];
    #[cfg(feature = "sse")]
    entrances.extend([("GET", "/sse"), ("POST", "/messages")]);
    #[cfg(feature = "websocket")]
    entrances.push(("GET", "/ws"));
    for (method, path) in entrances {
        let before = tokens.asked();
        let request = |token: &str| {
            let request = site.request(method).uri(path);
            let request = request.header("content-type", "application/json");
            as_user(request.body(String::new()).unwrap(), token)
        };
        assert_eq!(site.start(request("")).await.status(), 401, "{path}");
        assert_ne!(site.start(request("ann")).await.status(), 401, "{path}");
        assert_eq!(tokens.asked(), before + 2, "{method} {path}");
    }
    let get = async |path: &str| {
        let request = site.request("GET").uri(path).body(String::new()).unwrap();
        site.send(request).await.status.as_u16()
    };
    let before = tokens.asked();
    assert_eq!((get("/health").await, get("/ready").await), (200, 200));
    assert_eq!(get("/other").await, 404);
    assert_eq!(tokens.asked(), before);
}

#[tokio::test]
async fn headers_of_the_policy_are_in_every_answer_to_an_admitted_request() {
    let configure = |http: Http| http.auth(Tokens::default());
    #[cfg(feature = "sse")]
    let configure = |http: Http| configure(http.with_sse());
    #[cfg(feature = "websocket")]
    let configure = |http: Http| configure(http.with_websocket("/ws"));
    let site = Site::serve(configure).await;
    let answer = list(&site, "nonce").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header(NONCE), Some("n-2"));

    let mut requests = vec![("DELETE", "/mcp", 400), ("PUT", "/mcp", 405)];
    #[cfg(feature = "sse")]
    requests.extend([("GET", "/sse", 200), ("POST", "/messages", 415)]);
    #[cfg(feature = "websocket")]
    requests.push(("GET", "/ws", 426));
    for (method, path, status) in requests {
        let request = site.request(method).uri(path).body(String::new()).unwrap();
        let answer = site.start(as_user(request, "nonce")).await;
        assert_eq!(answer.status(), status, "{method} {path}");
        assert_eq!(answer.headers()[NONCE], "n-2", "{method} {path}");
    }
}

#[tokio::test]
async fn a_session_belongs_to_whom_the_policy_has_admitted() {
    let site = Site::serve(|http| http.auth(Tokens::default())).await;
    let post = |message: &Value, token: &str, id: Option<&str>| {
        let mut request = site
            .request("POST")
            .header("content-type", "application/json");
        if let Some(id) = id {
            request = request.header("mcp-session-id", id);
        }
        let request = request.body(message.to_string()).unwrap();
        site.send(as_user(request, token))
    };
    let opened = post(&support::initialize("2025-11-25"), "ann", None).await;
    let id = opened.header("mcp-session-id").unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (token, status) in [("ann", 200), ("bob", 404), ("", 401)] {
        let answer = post(&ping, token, Some(id)).await;
        assert_eq!(answer.status, status, "{token}: {answer:?}");
    }
}

#[tokio::test]
async fn host_and_origin_come_before_the_policy_and_the_body_after_it() {
    let tokens = Tokens::default();
    let options = HttpOptions::default().max_body_bytes(10);
    // The policy stays even if options are set after it.
    let site = Site::serve(|http| http.auth(tokens.clone()).options(options)).await;
    for (name, value) in [
        ("host", "evil.example.com"),
        ("origin", "https://evil.example.com"),
    ] {
        let mut request = site.stateless(&who());
        request.headers_mut().insert(name, value.parse().unwrap());
        assert_eq!(site.send(request).await.status, 403, "{name}");
    }
    assert_eq!(tokens.asked(), 0);
    assert_eq!(site.ask(&who()).await.status, 401);
    let known = as_user(site.stateless(&who()), "ann");
    assert_eq!(site.send(known).await.status, 413);
    assert_eq!(tokens.asked(), 2);
}

#[tokio::test]
async fn pages_ask_without_credentials_and_may_read_challenges() {
    let options = HttpOptions::default().allowed_origins([PAGE]);
    let tokens = Tokens::default();
    let site = Site::with(options.auth(tokens.clone())).await;
    for path in ["/mcp", METADATA] {
        let preflight = site
            .request("OPTIONS")
            .uri(path)
            .header("origin", PAGE)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization");
        let answer = site.send(preflight.body(String::new()).unwrap()).await;
        assert_eq!(answer.status, 204, "{path}");
        let allowed = answer.header("access-control-allow-headers");
        assert_eq!(allowed, Some("authorization"));
    }
    assert_eq!(tokens.asked(), 0);

    let mut request = site.stateless(&who());
    request
        .headers_mut()
        .insert("origin", PAGE.parse().unwrap());
    let answer = site.send(request).await;
    assert_eq!(answer.status, 401);
    assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    for name in ["www-authenticate", "dpop-nonce"] {
        assert!(exposed.split(", ").any(|it| it == name), "{exposed}");
    }
}

#[tokio::test]
async fn documents_are_for_everybody_beside_mcp_and_where_the_service_is_mounted() {
    let tokens = Tokens::default();
    let site = Site::serve(|http| http.auth(tokens.clone())).await;
    let send = async |method: &str, path: &str, host: &str| {
        let mut request = site.request(method).uri(path).body(String::new()).unwrap();
        request.headers_mut().insert("host", host.parse().unwrap());
        site.send(request).await
    };
    let answer = send("GET", METADATA, "localhost").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json()["resource"], "https://example.com/mcp");
    let head = send("HEAD", METADATA, "localhost").await;
    assert_eq!((head.status.as_u16(), &*head.body), (200, ""));
    let length = answer.body.len().to_string();
    assert_eq!(head.header("content-length"), Some(&*length));
    assert_eq!(send("POST", METADATA, "localhost").await.status, 405);
    assert_eq!(send("GET", METADATA, "evil.example.com").await.status, 403);
    assert_eq!(send("GET", "/.well-known/x", "localhost").await.status, 404);
    assert_eq!(send("GET", "/broken", "localhost").await.status, 500);

    let (mut service, _) = serving(HttpOptions::default().auth(tokens.clone())).await;
    let request = Request::get(METADATA).header("host", "localhost");
    let answer = service.call(request.body(String::new()).unwrap()).await;
    assert!(body(answer).await.contains("https://example.com/mcp"));
    assert_eq!(tokens.asked(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_policy_has_limited_time() {
    let options = HttpOptions::default().auth(Tokens::default());
    let (mut service, request) = serving(options.auth_timeout(Duration::from_secs(3))).await;
    let begun = tokio::time::Instant::now();
    let answer = service.call(request("slow")).await.unwrap();
    assert_eq!(answer.status(), 503);
    assert_eq!(answer.headers()["retry-after"], "1");
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    let answer = body(service.call(request("ann")).await).await;
    assert!(answer.contains("ann ann"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn requests_that_a_policy_looks_at_are_in_flight() {
    let options = HttpOptions::default().auth(Tokens::default()).max_calls(1);
    let (mut service, request) = serving(options).await;
    let mut slow = service.call(request("slow"));
    let begun = poll_fn(|cx| std::task::Poll::Ready(slow.as_mut().poll(cx).is_pending()));
    assert!(begun.await);
    let refused = service.call(request("ann")).await.unwrap();
    assert_eq!(refused.status(), 429);
    drop(slow);
    let answer = body(service.call(request("ann")).await).await;
    assert!(answer.contains("ann ann"), "{answer}");
}

#[tokio::test]
async fn a_panic_of_a_policy_is_answered_and_tokens_are_in_no_log() {
    let (log, _listening) = Log::listening(Level::TRACE);
    let site = Site::serve(|http| http.auth(Tokens::default())).await;
    let answer = list(&site, "s3cret-that-breaks").await;
    assert_eq!(answer.status, 500);
    assert_eq!(message(&answer), "internal error");
    assert_eq!(list(&site, "s3cret-unknown").await.status, 401);
    assert_eq!(list(&site, "ann").await.status, 200);
    let log = log.text();
    assert!(log.contains("the access policy panicked"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
}
