//! The code and reason with which a server closes a WebSocket, as its client sees them.

use futures_util::{SinkExt as _, StreamExt as _};
use http::HeaderValue;
use mcp_runtime::transport::websocket::websocket;
use mcp_runtime::{CallError, Client, ConnectError, Era};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use crate::support::clock::in_time;
use crate::support::scripted::initialized;

type Socket = WebSocketStream<TcpStream>;

#[expect(clippy::result_large_err, reason = "tungstenite defines the type")]
async fn accept(listener: &TcpListener) -> Socket {
    let (stream, _) = listener.accept().await.unwrap();
    let subprotocol = |_: &Request, mut response: Response| {
        let mcp = HeaderValue::from_static("mcp");
        response.headers_mut().insert("sec-websocket-protocol", mcp);
        Ok(response)
    };
    accept_hdr_async(stream, subprotocol).await.unwrap()
}

/// Returns the next message and its method; `None` when the client has left.
async fn next(socket: &mut Socket) -> Option<(Value, String)> {
    let Message::Text(text) = socket.next().await?.ok()? else {
        return None;
    };
    let message: Value = serde_json::from_str(&text).unwrap();
    let method = message["method"].as_str().unwrap_or_default().to_owned();
    Some((message, method))
}

/// Serves one connection: answers a handshake, and closes the connection with `code` and `reason`
/// after any other request.
async fn serve(socket: &mut Socket, code: u16, reason: &'static str) {
    while let Some((message, method)) = next(socket).await {
        match &*method {
            "initialize" => {
                let result = initialized("2025-11-25");
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                let answer = Message::text(answer.to_string());
                socket.send(answer).await.unwrap();
            }
            "notifications/initialized" => {}
            _ => break,
        }
    }
    let code = code.into();
    let reason = reason.into();
    // This fails if the client has left.
    let _ = socket.close(Some(CloseFrame { code, reason })).await;
    while let Some(Ok(_)) = socket.next().await {}
}

async fn url() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/", listener.local_addr().unwrap());
    (url, listener)
}

fn builder() -> mcp_runtime::ClientBuilder {
    Client::builder("test", "1").without_reconnect()
}

/// Returns the error of a call during which the connection is closed, and the reason for the lost
/// connection.
async fn closed(code: u16, reason: &'static str) -> (CallError, String) {
    let (url, listener) = url().await;
    let serving = tokio::spawn(async move {
        serve(&mut accept(&listener).await, code, reason).await;
    });
    let client = builder().era(Era::Handshake).connect(websocket(url));
    let client = in_time(client).await.unwrap();
    let call = client.call_tool("x", json!({})).into_future();
    let error = in_time(call).await.unwrap_err();
    in_time(serving).await.unwrap();
    let mut status = client.watch_status();
    while client.lost_because().is_none() {
        in_time(status.changed()).await.unwrap();
    }
    (error, client.lost_because().unwrap().to_string())
}

#[tokio::test]
async fn the_reason_is_in_the_error_and_in_the_cause_of_the_loss() {
    for (code, reason, expected) in [
        (
            1008,
            "the access has expired",
            "code 1008, the access has expired",
        ),
        (1011, "", "code 1011"),
        (4000, "a\u{7}b", "code 4000, a b"),
        (1000, "enough", "code 1000, enough"),
    ] {
        let (error, lost) = closed(code, reason).await;
        let expected = format!("the server closed the connection: {expected}");
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert_eq!(lost, format!("the connection was lost: {expected}"));
    }
}

#[tokio::test]
async fn an_end_in_good_order_has_no_reason() {
    for code in [1000, 1001] {
        let (error, lost) = closed(code, "").await;
        assert!(matches!(error, CallError::Closed), "{error:?}");
        assert_eq!(lost, "the server closed the connection");
    }
}

#[tokio::test]
async fn a_server_that_closes_the_connection_because_of_the_probe_is_connected_to_once_more() {
    let (url, listener) = url().await;
    tokio::spawn(async move {
        loop {
            serve(&mut accept(&listener).await, 1002, "unknown method").await;
        }
    });
    let client = in_time(builder().connect(websocket(url.clone()))).await;
    assert_eq!(client.unwrap().revision().era(), Era::Handshake);
    let stateless = builder().era(Era::Stateless).connect(websocket(url));
    let error = in_time(stateless).await.unwrap_err();
    assert!(matches!(error, ConnectError::Lost(_)), "{error:?}");
    let text = error.to_string();
    assert!(text.ends_with("code 1002, unknown method"), "{text}");
}
