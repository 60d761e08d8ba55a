//! WebSocket connections: who may open one, and what ends it.

#![allow(clippy::unwrap_used)]

mod support;

use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use mcp_runtime::ServeError;
use mcp_runtime::server::ShutdownHandle;
use mcp_runtime::transport::websocket::websocket_server;
use serde_json::{Value, json};
use support::{call, stateless};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::ClientRequestBuilder;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Site {
    addr: SocketAddr,
    shutdown: ShutdownHandle,
    serving: JoinHandle<Result<(), ServeError>>,
}

fn open() -> Site {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let endpoint = websocket_server(listener).max_frame_bytes(10_000);
    let serve = support::server().serve(endpoint).without_signals();
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
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
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
    while let Some(Ok(message)) = socket.next().await {
        assert!(message.is_close(), "{message:?}");
    }
    connect(&site, None).await.unwrap();
}

#[tokio::test]
async fn binary_messages_end_the_connection() {
    let site = open();
    let mut socket = connect(&site, None).await.unwrap();
    socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        assert!(message.is_close(), "{message:?}");
    }
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
    assert_eq!(u16::from(close.code), 1000);
    drop(socket);
    site.serving.await.unwrap().unwrap();
}
