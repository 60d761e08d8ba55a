//! WebSocket connections: who may open them, and what ends them.

use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

use ::http::HeaderValue;
use ::http::request::Parts;
use futures_util::{SinkExt as _, StreamExt as _};
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::{ToolBuilder, ToolEntry};
use mcp_runtime::server::{List, Reply, ShutdownHandle};
use mcp_runtime::transport::http::{
    AccessDenied, AccessExpires, AccessPolicy, AccessRevalidation, HttpOptions, Principal,
    ScopeCheck, http,
};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::transport::websocket::{WebSocketServer, websocket, websocket_server};
use mcp_runtime::types::{SubscriptionFilter, Tool};
use mcp_runtime::{Client, Revision, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::clock::{Clock, in_time};
use crate::support::{self, call, stateless};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Site {
    addr: SocketAddr,
    shutdown: ShutdownHandle,
    serving: JoinHandle<Result<(), ServeError>>,
}

fn open() -> Site {
    serve(|endpoint| endpoint)
}

fn serve(configure: impl FnOnce(WebSocketServer) -> WebSocketServer) -> Site {
    serve_at(&support::server(), configure)
}

fn serve_at(server: &Server, configure: impl FnOnce(WebSocketServer) -> WebSocketServer) -> Site {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let endpoint = configure(websocket_server(listener).max_frame_bytes(10_000));
    let serve = server.serve(endpoint).signals(false);
    Site {
        addr,
        shutdown: serve.shutdown_handle(),
        serving: tokio::spawn(serve.into_future()),
    }
}

async fn connect(site: &Site, header: Option<(&str, &str)>) -> Result<Socket, Error> {
    let uri = format!("ws://{}/", site.addr).parse().unwrap();
    let mut request = ClientRequestBuilder::new(uri).with_sub_protocol("mcp");
    if let Some((name, value)) = header {
        request = request.with_header(name, value);
    }
    let (socket, response) = connect_async(request).await?;
    assert_eq!(response.headers()["sec-websocket-protocol"], "mcp");
    Ok(socket)
}

async fn ask(socket: &mut Socket, message: Value) -> Value {
    socket
        .send(Message::text(message.to_string()))
        .await
        .unwrap();
    loop {
        let message = in_time(socket.next()).await.unwrap();
        if let Message::Text(text) = message.unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

/// Checks that the connection ends with at most one more message, a close frame.
async fn closed(mut socket: Socket) {
    while let Some(Ok(message)) = in_time(socket.next()).await {
        assert!(message.is_close(), "{message:?}");
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_a_message_is_skipped() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    for id in [1, 2] {
        let message = format!("\u{feff}{}", stateless(id, "tools/list", json!({})));
        socket.send(Message::text(message)).await.unwrap();
        let answer = in_time(socket.next()).await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(answer.to_text().unwrap()).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }
    let twice = format!("\u{feff}\u{feff}{}", stateless(3, "tools/list", json!({})));
    socket.send(Message::text(twice)).await.unwrap();
    let answer = in_time(socket.next()).await.unwrap().unwrap();
    assert!(answer.to_text().unwrap().contains("-32700"), "{answer}");
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let site = open();
    for origin in ["https://evil.example.com", "null"] {
        match connect(&site, Some(("origin", origin))).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), 403),
            other => panic!("{other:?}"),
        }
    }
    let mut socket = connect(&site, Some(("origin", "http://localhost")))
        .await
        .unwrap();
    let answer = ask(&mut socket, stateless(1, "tools/list", json!({}))).await;
    assert!(answer["result"]["tools"].is_array());
}

struct OnlyAnn;

impl AccessPolicy for OnlyAnn {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        tokio::task::yield_now().await;
        let token = request.headers.remove("authorization");
        if token.is_none_or(|token| token != "Bearer ann") {
            let challenge = HeaderValue::from_static("Bearer");
            return Err(AccessDenied::unauthorized(challenge));
        }
        request.extensions.insert(Principal::new("ann"));
        request
            .extensions
            .insert(ScopeCheck::new(|needed| match needed {
                ["read"] => Ok(()),
                _ => Err(AccessDenied::forbidden().message("this is not for reading")),
            }));
        Ok(())
    }
}

#[tokio::test]
async fn only_whom_the_policy_admits_may_open_a_connection() {
    let mut server = support::builder();
    let tool = Tool::new("who", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let principal = call.context.identity::<Principal>().unwrap();
        Reply::Ready(Ok(support::text(principal.name().to_owned())))
    }));
    let options = HttpOptions::default().auth(OnlyAnn);
    let site = serve_at(&server.build(), |endpoint| endpoint.options(options));
    for header in [None, Some(("authorization", "Bearer bob"))] {
        match connect(&site, header).await {
            Err(Error::Http(response)) => {
                assert_eq!(response.status(), 401);
                assert_eq!(response.headers()["www-authenticate"], "Bearer");
            }
            other => panic!("{other:?}"),
        }
    }
    let ann = connect(&site, Some(("authorization", "Bearer ann"))).await;
    let who = stateless(1, "tools/call", json!({"name": "who"}));
    let answer = ask(&mut ann.unwrap(), who).await;
    assert_eq!(answer["result"]["content"][0]["text"], "ann", "{answer}");
}

#[tokio::test]
async fn a_call_without_its_scopes_is_answered_with_an_error() {
    let mut server = support::builder();
    for (name, scope) in [("look", "read"), ("change", "write")] {
        let tool = ToolBuilder::new(name).scopes([scope]);
        server.tool(tool.arguments(()).call(|(), _| "done"));
    }
    let options = HttpOptions::default().auth(OnlyAnn);
    let site = serve_at(&server.build(), |endpoint| endpoint.options(options));
    let ann = connect(&site, Some(("authorization", "Bearer ann"))).await;
    let mut ann = ann.unwrap();
    let change = stateless(1, "tools/call", json!({"name": "change"}));
    let error = &ask(&mut ann, change).await["error"];
    assert_eq!(error["code"], -32600, "{error}");
    assert_eq!(error["message"], "this is not for reading");
    let look = stateless(2, "tools/call", json!({"name": "look"}));
    let answer = ask(&mut ann, look).await;
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

/// Accepts the name of a caller as the token.
struct Names;

impl AccessPolicy for Names {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let name = &request.headers["authorization"];
        let principal = Principal::new(name.to_str().unwrap());
        request.extensions.insert(principal);
        Ok(())
    }
}

struct Careful;

#[mcp_server(undocumented = "allow")]
impl Careful {
    #[tool]
    fn remove(&self, #[elicit("Remove everything?")] sure: bool) -> String {
        sure.to_string()
    }
}

#[tokio::test]
async fn a_state_is_of_no_use_to_another_principal() {
    let options = HttpOptions::default().auth(Names);
    let site = serve_at(&Careful.into_server(), |endpoint| endpoint.options(options));
    let remove = |id: i64, state: Value| {
        let mut params = state;
        params["name"] = json!("remove");
        let mut message = stateless(id, "tools/call", params);
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"elicitation": {"form": {}}});
        message
    };
    let [mut ann, mut bob] = [("authorization", "ann"), ("authorization", "bob")]
        .map(|header| Box::pin(connect(&site, Some(header))));
    let mut ann = ann.as_mut().await.unwrap();
    let mut bob = bob.as_mut().await.unwrap();
    let asked = &ask(&mut ann, remove(1, json!({}))).await["result"];
    let keys = asked["inputRequests"].as_object().unwrap().keys();
    let yes = |key: &String| {
        (
            key.clone(),
            json!({"action": "accept", "content": {"sure": true}}),
        )
    };
    let responses: serde_json::Map<_, _> = keys.map(yes).collect();
    let retry = json!({"inputResponses": responses, "requestState": asked["requestState"]});
    let stolen = ask(&mut bob, remove(1, retry.clone())).await;
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let answer = ask(&mut ann, remove(2, retry)).await;
    assert!(answer["result"]["content"].is_array(), "{answer}");
}

/// Grants access that expires after a moment.
struct Moment;

const MOMENT: Duration = Duration::from_millis(20);

impl AccessPolicy for Moment {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let end = SystemTime::now() + MOMENT;
        request.extensions.insert(AccessExpires(end));
        Ok(())
    }
}

/// Grants access that is denied when it is revalidated after a moment.
struct Once;

impl AccessPolicy for Once {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let denied = async || Err(AccessDenied::forbidden());
        let revalidation = AccessRevalidation::new(Instant::now() + MOMENT, denied);
        request.extensions.insert(revalidation);
        Ok(())
    }
}

#[tokio::test]
async fn a_connection_ends_with_the_access_of_its_client() {
    ends_with_access(HttpOptions::default().auth(Moment)).await;
}

#[tokio::test]
async fn a_connection_ends_when_its_access_is_checked_and_not_found() {
    ends_with_access(HttpOptions::default().auth(Once)).await;
}

async fn ends_with_access(options: HttpOptions) {
    let site = serve(|endpoint| endpoint.options(options));
    let mut socket = connect(&site, None).await.unwrap();
    let Message::Close(Some(close)) = in_time(socket.next()).await.unwrap().unwrap() else {
        panic!("the connection was not closed");
    };
    assert_eq!(u16::from(close.code), 1008);
    assert_eq!(close.reason, "the access has expired");
    closed(socket).await;
}

#[tokio::test]
async fn pings_are_answered() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    socket.send(Message::Ping("here?".into())).await.unwrap();
    let pong = socket.next().await.unwrap().unwrap();
    assert_eq!(pong, Message::Pong("here?".into()));
}

#[tokio::test]
async fn an_oversized_message_is_named_and_ends_the_connection() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    let answer = ask(
        &mut socket,
        call(1, "echo", json!({"x": "x".repeat(20_000)})),
    )
    .await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("10000")
    );
    closed(socket).await;
    connect(&site, None).await.unwrap();
}

#[tokio::test]
async fn binary_messages_end_the_connection() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    closed(socket).await;
    connect(&site, None).await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_server_is_said_with_a_close_code() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    ask(&mut socket, stateless(1, "tools/list", json!({}))).await;
    site.shutdown.shut_down();
    let Some(Ok(Message::Close(Some(close)))) = socket.next().await else {
        panic!("a close message was expected");
    };
    assert_eq!(u16::from(close.code), 1001);
    drop(socket);
    site.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_end_of_the_server_ends_subscriptions_in_good_order() {
    let mut server = support::builder();
    server.list_changed([List::Tools]);
    let site = serve_at(&server.build(), |endpoint| endpoint);
    let url = websocket(format!("ws://{}/", site.addr));
    let client = Client::builder("test", "1").revision(Revision::LATEST);
    let client = client.connect(url).await.unwrap();
    let filter = SubscriptionFilter::new().with_tools_list_changed(true);
    let mut subscription = client.subscribe_to(filter).await.unwrap();
    site.shutdown.shut_down();
    assert!(matches!(subscription.next().await, Ok(None)));
    site.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_ends_a_connection_is_said_with_a_close_code() {
    let site = open();
    let too_long = call(1, "echo", json!({"x": "x".repeat(20_000)})).to_string();
    for (message, code) in [
        (Message::binary(vec![1, 2, 3]), 1003),
        (Message::text(too_long), 1009),
    ] {
        let mut socket = connect(&site, None).await.unwrap();
        socket.send(message).await.unwrap();
        let close = loop {
            if let Message::Close(close) = socket.next().await.unwrap().unwrap() {
                break close.unwrap();
            }
        };
        assert_eq!(u16::from(close.code), code);
    }
}

#[tokio::test]
async fn a_peer_is_asked_for_signs_of_life_and_given_up_without() {
    let often = Duration::from_secs(1);
    let clock = Clock::stopped();
    let site = serve(|endpoint| endpoint.ping_every(often));
    let mut socket = connect(&site, None).await.unwrap();
    for _ in 0..3 {
        let ping = clock.run_until(often, socket.next()).await;
        let ping = ping.unwrap().unwrap();
        assert!(ping.is_ping(), "{ping:?}");
        // Reading the ping has sent the pong. The answer to the next request shows that the pong
        // has arrived.
        ask(&mut socket, stateless(1, "tools/list", json!({}))).await;
    }
    // From now on, the client does not read frames, so it does not answer pings.
    let io = socket.into_inner();
    let mut bytes = Vec::new();
    let MaybeTlsStream::Plain(mut io) = io else {
        panic!("it is not encrypted");
    };
    let end = io.read_to_end(&mut bytes);
    clock.run_until(often, end).await.unwrap();
    assert!(!bytes.is_empty());
}

/// Serves the same server and other services at one address.
async fn beside() -> (
    SocketAddr,
    ShutdownHandle,
    JoinHandle<Result<(), ServeError>>,
) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let mut server = support::builder();
    let tool = Tool::new("path", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let parts = Parts::from_context(call.context).unwrap();
        Reply::Ready(Ok(support::text(parts.uri.to_string())))
    }));
    let serve = server.build().serve(http(listener).with_websocket("/ws"));
    let serve = serve.signals(false);
    let shutdown = serve.shutdown_handle();
    (addr, shutdown, tokio::spawn(serve.into_future()))
}

#[tokio::test]
async fn it_is_served_beside_http() {
    let (addr, shutdown, serving) = beside().await;
    let url = websocket(format!("ws://{addr}/ws?x=1"));
    let client = Client::builder("test", "1").connect(url).await.unwrap();
    let result = client.call_tool("path", json!({})).await.unwrap();
    let result = serde_json::to_value(result).unwrap();
    assert_eq!(result["content"][0]["text"], "/ws?x=1");
    let other = http_client(format!("http://{addr}/mcp"));
    let other = Client::builder("test", "1").connect(other).await.unwrap();
    assert!(other.list_tools().await.is_ok());
    drop(other);

    let uri = format!("ws://{addr}/ws").parse().unwrap();
    let page = ClientRequestBuilder::new(uri).with_header("origin", "https://evil.example.com");
    match connect_async(page).await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 403),
        other => panic!("{other:?}"),
    }
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let plain = "GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(plain.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 426 Upgrade Required"),
        "{answer}"
    );

    shutdown.shut_down();
    serving.await.unwrap().unwrap();
    drop(client);
}
