//! Tests that open streams end when their token is revoked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use futures_util::StreamExt as _;
use mcp_auth::jwt::Claims;
use mcp_auth::server::{TokenVerifier, VerifyError};
use mcp_auth::{Issuer, ResourceServer};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{HttpOptions, http_service};
use serde_json::{Value, json};
use support::{AuthorizationServer, Client, Endpoint, Fault};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;

use crate::asking::in_seconds;
use crate::clock::{Clock, until};

/// One minute plus the possible delay of timers.
const MINUTE: Duration = Duration::from_millis(60_001);

struct Waits;

#[mcp_server(undocumented = "allow", list_changed(tools))]
impl Waits {
    #[tool]
    async fn wait(&self, progress: &Progress) -> &'static str {
        progress.report(1, None, "waits");
        std::future::pending().await
    }
}

/// How a server gets its policy.
#[derive(Clone, Copy, Debug)]
enum By {
    Options,
    Layer,
}

/// How a request opens a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    WebSocket,
    /// A subscription without a session.
    Subscription,
    /// A call without a session.
    Answer,
    /// A call of a session.
    SessionAnswer,
    /// A GET request of a session.
    SessionStream,
    Sse,
}

const KINDS: [Kind; 6] = [
    Kind::WebSocket,
    Kind::Subscription,
    Kind::Answer,
    Kind::SessionAnswer,
    Kind::SessionStream,
    Kind::Sse,
];

async fn issuer() -> AuthorizationServer {
    AuthorizationServer::with(|it| it.clients = vec![Client::secret("server", "secret")]).await
}

/// A server in axum, and a token for its clients.
struct Site {
    address: String,
    authorization: String,
}

impl Site {
    async fn introspecting(issuer: &AuthorizationServer, by: By) -> Self {
        let with = Issuer::new(issuer.issuer()).introspection("server", "secret");
        let token = |url: &str| issuer.mint_opaque(&json!({"aud": url, "scope": "a b"}));
        Self::serve(by, |policy| policy.issuer(with), token).await
    }

    async fn serve(
        by: By,
        change: impl FnOnce(ResourceServer) -> ResourceServer,
        token: impl FnOnce(&str) -> String,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let url = format!("http://{address}/mcp");
        let policy = change(ResourceServer::new(&url));
        let options = HttpOptions::default();
        let (options, layer) = match by {
            By::Options => (options.auth(policy), None),
            By::Layer => (options, Some(policy.layer().unwrap())),
        };
        let server = Waits.into_server();
        let mcp = http_service(server, options);
        let guard = mcp.start().await.unwrap();
        let sse = mcp.sse("/sse");
        let websocket = mcp.websocket();
        let router = Router::new()
            .route_service("/mcp", mcp)
            .route_service("/sse", sse)
            .route_service("/ws", websocket);
        let router = match layer {
            Some(layer) => router.layer(layer),
            None => router,
        };
        tokio::spawn(async move {
            let _guard = guard;
            axum::serve(listener, router).await
        });
        Self {
            address,
            authorization: format!("Bearer {}", token(&url)),
        }
    }

    /// Sends a request. Returns the head of the response and the connection.
    async fn send(&self, line: &str, headers: &str, body: &Value) -> (String, TcpStream) {
        let Self {
            address,
            authorization,
        } = self;
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             authorization: {authorization}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n\
             {headers}\r\n{body}"
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        (String::from_utf8(head).unwrap(), stream)
    }

    /// The status of a call, which causes the token to be verified.
    async fn status(&self) -> String {
        let list = message("tools/list", json!({"_meta": meta()}));
        let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n";
        let (head, _) = self.send("POST /mcp", headers, &list).await;
        head.split(' ').nth(1).unwrap().to_owned()
    }

    /// Opens a session, and returns the headers for its requests.
    async fn session(&self) -> String {
        let client = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let (head, _) = self
            .send("POST /mcp", "", &message("initialize", hello))
            .await;
        let id = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "));
        let headers = format!(
            "mcp-protocol-version: 2025-11-25\r\nmcp-session-id: {}\r\n",
            id.unwrap()
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let (head, _) = self.send("POST /mcp", &headers, &ready).await;
        assert!(head.starts_with("HTTP/1.1 202"), "{head}");
        headers
    }

    /// Opens a stream and reads it until it ends. The task returns its last message.
    async fn open(&self, kind: Kind) -> JoinHandle<String> {
        let stateless = |method: &str, name: &str| {
            format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}")
        };
        let call = |meta: Value| message("tools/call", json!({"name": "wait", "_meta": meta}));
        let mut with_progress = meta();
        with_progress["progressToken"] = json!(1);
        let (line, headers, body) = match kind {
            Kind::WebSocket => return self.open_websocket().await,
            Kind::Subscription => {
                let filter = json!({"toolsListChanged": true});
                let params = json!({"notifications": filter, "_meta": meta()});
                let headers = stateless("subscriptions/listen", "");
                let listen = message("subscriptions/listen", params);
                ("POST /mcp", headers, listen)
            }
            Kind::Answer => {
                let headers = stateless("tools/call", "mcp-name: wait\r\n");
                ("POST /mcp", headers, call(with_progress))
            }
            Kind::SessionAnswer => {
                let call = call(json!({"progressToken": 1}));
                ("POST /mcp", self.session().await, call)
            }
            Kind::SessionStream => ("GET /mcp", self.session().await, Value::Null),
            Kind::Sse => ("GET /sse", String::new(), Value::Null),
        };
        let (head, mut stream) = self.send(line, &headers, &body).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{kind:?}: {head}");
        assert!(head.contains("text/event-stream"), "{kind:?}: {head}");
        tokio::spawn(async move {
            let mut rest = String::new();
            stream.read_to_string(&mut rest).await.unwrap();
            rest
        })
    }

    async fn open_websocket(&self) -> JoinHandle<String> {
        let uri = format!("ws://{}/ws", self.address).parse().unwrap();
        let request = ClientRequestBuilder::new(uri);
        let request = request.with_header("authorization", &self.authorization);
        let stream = TcpStream::connect(&self.address).await.unwrap();
        let (mut socket, _) = client_async(request, stream).await.unwrap();
        tokio::spawn(async move {
            loop {
                match socket.next().await.unwrap().unwrap() {
                    Message::Close(close) => {
                        let close = close.unwrap();
                        return format!("{} {}", u16::from(close.code), close.reason);
                    }
                    // The WebSocket library answers pings.
                    _ => continue,
                }
            }
        })
    }
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn introspected(issuer: &AuthorizationServer, count: usize) {
    let is_asked = || issuer.count(Endpoint::Introspect) >= count;
    until("the issuer is asked", is_asked).await;
}

/// Waits until a stream ends, and checks that it reports the end of access.
async fn ended(kind: Kind, stream: JoinHandle<String>) {
    let what = format!("{kind:?} ends");
    until(&what, || stream.is_finished()).await;
    let text = stream.await.unwrap();
    assert!(text.contains("access has expired"), "{kind:?}: {text}");
    assert_eq!(text.starts_with("1008 "), kind == Kind::WebSocket, "{text}");
}

#[tokio::test]
async fn a_revocation_ends_what_is_open_within_a_minute() {
    for (by, kind) in [By::Options, By::Layer]
        .into_iter()
        .flat_map(|by| KINDS.map(|kind| (by, kind)))
    {
        let issuer = issuer().await;
        let clock = Clock::stopped();
        let site = Site::introspecting(&issuer, by).await;
        let stream = site.open(kind).await;
        assert_eq!(issuer.count(Endpoint::Introspect), 1);
        for count in 2..5 {
            clock.pass(MINUTE).await;
            // The introspection happens without another request.
            introspected(&issuer, count).await;
            assert_eq!(site.status().await, "200", "{by:?} {kind:?}");
            assert_eq!(issuer.count(Endpoint::Introspect), count);
            assert!(!stream.is_finished(), "{by:?} {kind:?}");
        }
        issuer.revoke_all();
        clock.pass(MINUTE - Duration::from_secs(1)).await;
        assert_eq!(issuer.count(Endpoint::Introspect), 4);
        clock.pass(Duration::from_secs(1)).await;
        ended(kind, stream).await;
        assert_eq!(issuer.count(Endpoint::Introspect), 5);
        assert_eq!(site.status().await, "401");
        clock.go_on();
    }
}

#[tokio::test]
async fn an_issuer_that_can_not_be_asked_is_asked_once_more() {
    for kind in [Kind::WebSocket, Kind::Subscription] {
        let issuer = issuer().await;
        let clock = Clock::stopped();
        let site = Site::introspecting(&issuer, By::Options).await;
        let stream = site.open(kind).await;
        issuer.fail(Endpoint::Introspect, Fault::Status(500));
        clock.pass(MINUTE).await;
        introspected(&issuer, 2).await;
        // This request shares the lookup or comes after it.
        assert_eq!(site.status().await, "503");
        clock.pass(Duration::from_secs(4)).await;
        issuer.heal();
        assert!(!stream.is_finished());
        clock.pass(Duration::from_millis(1001)).await;
        introspected(&issuer, 3).await;
        assert_eq!(site.status().await, "200");
        issuer.fail(Endpoint::Introspect, Fault::Status(500));
        clock.pass(MINUTE).await;
        introspected(&issuer, 4).await;
        assert_eq!(site.status().await, "503");
        assert!(!stream.is_finished());
        clock.pass(Duration::from_millis(5001)).await;
        ended(kind, stream).await;
        clock.go_on();
    }
}

#[tokio::test]
async fn a_token_that_grants_less_ends_what_is_open() {
    for (sub, scope, stays) in [
        ("alice", "b a c", true),
        ("alice", "a", false),
        ("bob", "a b", false),
    ] {
        let issuer = issuer().await;
        let clock = Clock::stopped();
        let site = Site::introspecting(&issuer, By::Options).await;
        let stream = site.open(Kind::Subscription).await;
        let aud = format!("http://{}/mcp", site.address);
        let exp = in_seconds(600);
        let answer = json!({"active": true, "sub": sub, "aud": aud, "exp": exp, "scope": scope});
        issuer.fail(Endpoint::Introspect, Fault::Json(answer.to_string()));
        clock.pass(MINUTE).await;
        introspected(&issuer, 2).await;
        assert_eq!(site.status().await, "200");
        if stays {
            assert!(!stream.is_finished(), "{sub} {scope}");
        } else {
            ended(Kind::Subscription, stream).await;
        }
        clock.go_on();
    }
}

#[tokio::test]
async fn a_key_that_is_withdrawn_ends_what_its_tokens_have_opened() {
    let issuer = AuthorizationServer::start().await;
    let clock = Clock::stopped();
    let change = |policy: ResourceServer| policy.issuer(issuer.issuer());
    let claims = |url: &str| issuer.mint(&json!({"aud": url, "exp": 9_999_999_999_u64}));
    let site = Site::serve(By::Options, change, claims).await;
    let mut stream = site.open(Kind::WebSocket).await;
    let quarter = Duration::from_secs(900);
    tokio::select! {
        biased;
        _ = &mut stream => panic!("the key is there"),
        () = clock.run_until(Duration::from_secs(1), tokio::time::sleep(quarter)) => {}
    }
    issuer.rotate_keys();
    // Keys are fetched every five minutes.
    let end = clock.run_until(
        Duration::from_secs(1),
        tokio::time::timeout(quarter, stream),
    );
    assert_eq!(end.await.unwrap().unwrap(), "1008 the access has expired");
}

/// A verifier that knows an API key until the key is withdrawn.
struct ApiKey {
    is_withdrawn: Arc<AtomicBool>,
    resource: String,
}

impl TokenVerifier for ApiKey {
    async fn verify(&self, _: &str) -> Result<Claims, VerifyError> {
        if self.is_withdrawn.load(Ordering::Relaxed) {
            return Err(VerifyError::Invalid("not a known key".into()));
        }
        let claims = json!({"iss": "us", "sub": "a", "aud": self.resource, "exp": in_seconds(600)});
        Ok(Claims::new(claims.as_object().unwrap().clone())?)
    }
}

#[tokio::test]
async fn a_verifier_of_ones_own_is_asked_every_minute() {
    let is_withdrawn = Arc::new(AtomicBool::new(false));
    let clock = Clock::stopped();
    let verifier = ApiKey {
        is_withdrawn: Arc::clone(&is_withdrawn),
        resource: "https://mcp.example.com/mcp".to_owned(),
    };
    let change = |_| ResourceServer::new("https://mcp.example.com/mcp").verifier(verifier);
    let site = Site::serve(By::Options, change, |_| "key".to_owned()).await;
    let stream = site.open(Kind::Subscription).await;
    for _ in 0..3 {
        clock.pass(MINUTE).await;
        assert_eq!(site.status().await, "200");
        assert!(!stream.is_finished());
    }
    is_withdrawn.store(true, Ordering::Relaxed);
    clock.pass(MINUTE - Duration::from_secs(1)).await;
    assert!(!stream.is_finished());
    clock.pass(Duration::from_secs(1)).await;
    ended(Kind::Subscription, stream).await;
}
