//! Proxies, redirects and temporary errors between a client and its server.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http::request::Parts;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use mcp_runtime::client::ClientExtension;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::{JsonObject, Request as _};
use mcp_runtime::{CallError, ConnectError, ExtensionMethod, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket};

use crate::site::read;
use crate::support::client::builder;

async fn stub(
    answer: impl Fn(&Parts, &Value) -> Response<String> + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            let service = service_fn(move |request: Request<Incoming>| {
                let answer = Arc::clone(&answer);
                async move {
                    let (parts, body) = request.into_parts();
                    let body = read(Response::new(body)).await.body;
                    let message = serde_json::from_str(&body).unwrap_or(Value::Null);
                    Ok::<_, Infallible>(answer(&parts, &message))
                }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(connection);
        }
    });
    addr
}

fn status(status: u16) -> http::response::Builder {
    Response::builder().status(status)
}

fn said(message: &Value, result: &Value) -> Response<String> {
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    let response = status(200).header("content-type", "application/json");
    response.body(answer.to_string()).unwrap()
}

/// Answers the requests that every stateless server gets.
fn stateless(message: &Value) -> Response<String> {
    match message["method"].as_str() {
        Some("server/discover") => said(
            message,
            &json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}, "extensions": {"com.example/bank": {}}},
                "ttlMs": 0,
                "cacheScope": "private",
            }),
        ),
        Some("tools/list") => said(
            message,
            &json!({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"}),
        ),
        _ => said(message, &json!({"resultType": "complete", "content": []})),
    }
}

#[tokio::test]
async fn redirects_are_followed_within_the_origin() {
    let addr = stub(|parts, message| match parts.uri.path() {
        "/old" => status(308)
            .header("location", "/new")
            .body(String::new())
            .unwrap(),
        "/new" => stateless(message),
        _ => status(404).body(String::new()).unwrap(),
    });
    let url = format!("http://{}/old", addr.await);
    let client = builder().connect(http_client(url)).await.unwrap();
    assert!(client.list_tools().await.unwrap().is_empty());
}

#[tokio::test]
async fn redirects_to_other_origins_are_not_followed() {
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let elsewhere = stub(move |_, message| {
        *count.lock().unwrap() += 1;
        stateless(message)
    });
    let elsewhere = elsewhere.await;
    let addr = stub(move |_, _| {
        let location = format!("http://{elsewhere}/");
        let response = status(307).header("location", location);
        response.body(String::new()).unwrap()
    });
    let client = builder().revision(Revision::LATEST);
    let client = client.connect(http_client(format!("http://{}/", addr.await)));
    assert!(client.await.is_err());
    assert_eq!(*asked.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_circle_of_redirects_is_named_as_such() {
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let addr = stub(move |_, _| {
        *count.lock().unwrap() += 1;
        let response = status(307).header("location", "/mcp?again");
        response.body(String::new()).unwrap()
    });
    let url = format!("http://{}/mcp", addr.await);
    let client = builder().revision(Revision::LATEST);
    let error = client.connect(http_client(&url)).await.unwrap_err();
    let expected = format!(
        "HTTP 307 from {url} redirects to /mcp, which is not followed: 5 redirects were followed \
         before it"
    );
    assert_eq!(error.to_string(), expected);
    let ConnectError::Http(error) = error else {
        panic!("{error:?}")
    };
    assert!(error.too_many_redirects);
    assert_eq!(*asked.lock().unwrap(), 6);
}

#[tokio::test]
async fn a_method_of_an_extension_is_not_sent_again_behind_a_gateway_that_fails() {
    enum Charge {}

    impl mcp_runtime::types::Request for Charge {
        const METHOD: &'static str = "com.example/charge";
        const PARAMS_OPTIONAL: bool = true;
        const MAY_REQUIRE_INPUT: bool = false;
        const EXTENSION: Option<&'static str> = Some("com.example/bank");
        type Params = JsonObject;
        type Result = JsonObject;
    }

    let charged = Arc::new(Mutex::new(0));
    let count = Arc::clone(&charged);
    let addr = stub(move |_, message| match message["method"].as_str() {
        Some("com.example/charge") => {
            *count.lock().unwrap() += 1;
            status(502).body(String::new()).unwrap()
        }
        _ => stateless(message),
    });
    let url = format!("http://{}/", addr.await);
    let client = builder().extension(("com.example/bank", JsonObject::new()));
    let client = client.connect(http_client(url)).await.unwrap();
    let error = client.request::<Charge>(JsonObject::new()).await;
    let error = error.unwrap_err();
    assert!(
        matches!(&error, CallError::Http(error) if error.status == 502),
        "{error}"
    );
    assert_eq!(*charged.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_header_repeats_the_parameter_that_names_a_method_of_an_extension() {
    struct Bank;

    impl ClientExtension for Bank {
        fn id(&self) -> &'static str {
            "com.example/bank"
        }

        fn settings(&self, _: Revision) -> Option<JsonObject> {
            Some(JsonObject::new())
        }

        fn methods(&self) -> &[ExtensionMethod] {
            const METHODS: &[ExtensionMethod] =
                &[ExtensionMethod::new(Account::METHOD).named_by("account")];
            METHODS
        }
    }

    enum Account {}

    impl mcp_runtime::types::Request for Account {
        const METHOD: &'static str = "com.example/account";
        const PARAMS_OPTIONAL: bool = false;
        const MAY_REQUIRE_INPUT: bool = false;
        const EXTENSION: Option<&'static str> = Some("com.example/bank");
        type Params = JsonObject;
        type Result = JsonObject;
    }

    let names = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&names);
    let addr = stub(move |parts, message| match message["method"].as_str() {
        Some("com.example/account") => {
            let name = parts.headers.get("mcp-name");
            let name = name.map(|name| name.to_str().unwrap().to_owned());
            seen.lock().unwrap().push(name);
            said(message, &json!({"resultType": "complete"}))
        }
        _ => stateless(message),
    });
    let url = format!("http://{}/", addr.await);
    let client = builder().extension(Bank).connect(http_client(url)).await;
    let client = client.unwrap();
    for params in [
        json!({"account": "ann's"}),
        json!({"account": "ä"}),
        json!({}),
    ] {
        let params = params.as_object().unwrap().clone();
        client.request::<Account>(params).await.unwrap();
    }
    let names = names.lock().unwrap();
    let expected = [Some("ann's"), Some("=?base64?w6Q=?="), None];
    assert_eq!(*names, expected.map(|name| name.map(str::to_owned)));
}

/// Starts a server that refuses the first request for each method with the status `refusal`.
async fn reluctant(refusal: u16) -> SocketAddr {
    let seen = Mutex::new(Vec::<String>::new());
    let addr = stub(move |_, message| {
        let method = message["method"].as_str().unwrap().to_owned();
        let mut seen = seen.lock().unwrap();
        if seen.contains(&method) {
            return stateless(message);
        }
        seen.push(method);
        status(refusal).body(String::new()).unwrap()
    });
    addr.await
}

#[tokio::test]
async fn what_was_refused_for_now_is_sent_again() {
    for refusal in [429, 503] {
        let url = format!("http://{}/", reluctant(refusal).await);
        let client = builder().connect(http_client(url)).await.unwrap();
        client.list_tools().await.unwrap();
        client.call_tool("x", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn what_may_have_been_done_is_sent_again_only_where_that_does_no_harm() {
    let url = format!("http://{}/", reluctant(502).await);
    let client = builder().connect(http_client(url)).await.unwrap();
    client.list_tools().await.unwrap();
    match client.call_tool("x", json!({})).await {
        Err(CallError::Http(error)) => assert_eq!(error.status, 502),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nothing_is_sent_again_where_that_is_not_wanted() {
    let url = format!("http://{}/", reluctant(503).await);
    let client = builder().revision(Revision::LATEST);
    let client = client.connect(http_client(url).retries(0)).await;
    assert!(client.is_err());
}

#[tokio::test]
async fn a_proxy_is_told_where_plain_requests_go() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let proxy = stub(move |parts, message| {
        let authorization = parts.headers.get("proxy-authorization").cloned();
        log.lock()
            .unwrap()
            .push((parts.uri.to_string(), authorization));
        stateless(message)
    });
    let proxy = format!("http://ann:secret@{}", proxy.await);
    let server = http_client("http://mcp.invalid/mcp").proxy(proxy);
    let client = builder().connect(server).await.unwrap();
    client.list_tools().await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    for (uri, authorization) in &*seen {
        assert_eq!(uri, "http://mcp.invalid/mcp");
        let authorization = authorization.as_ref().unwrap();
        assert_eq!(authorization, "Basic YW5uOnNlY3JldA==");
    }
}

#[tokio::test]
async fn a_proxy_tunnels_what_is_encrypted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(refusal).await.unwrap();
        String::from_utf8(head).unwrap()
    });
    let server = http_client("https://mcp.invalid/mcp")
        .proxy(proxy)
        .retries(0);
    assert!(builder().connect(server).await.is_err());
    let head = asked.await.unwrap();
    assert!(
        head.starts_with("CONNECT mcp.invalid:443 HTTP/1.1\r\n"),
        "{head}"
    );
}

/// Returns an address on which nothing listens while the socket exists.
fn nobody() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let addr = socket.local_addr().unwrap();
    (socket, addr)
}

#[tokio::test]
async fn a_proxy_that_does_not_work_is_named() {
    let (_socket, dead) = nobody();
    let refusing = stub(|_, _| status(403).body(String::new()).unwrap()).await;
    for (url, proxy) in [
        ("http://mcp.invalid/mcp", dead),
        ("https://mcp.invalid/mcp", dead),
        ("https://mcp.invalid/mcp", refusing),
    ] {
        let server = http_client(url)
            .proxy(format!("http://ann:secret@{proxy}"))
            .retries(0);
        let text = builder().connect(server).await.unwrap_err().to_string();
        assert!(text.contains(&format!("the proxy {proxy} ")), "{text}");
        assert!(text.contains("mcp.invalid"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
