//! URLs of servers, and the credentials in them.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{Client, ConnectError, Era};

use crate::scripted::Scripted;
use crate::support::clock::in_time;

#[tokio::test]
async fn a_url_whose_port_is_none_is_refused() {
    for port in ["99999", "65536", "x"] {
        let server = http_client(format!("http://ann:secret@127.0.0.1:{port}/x"));
        let connected = Client::builder("test", "1").connect(server);
        let Err(ConnectError::Open(error)) = in_time(connected).await else {
            panic!("{port} was accepted");
        };
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        let text = error.to_string();
        assert!(text.contains(port) && !text.contains("secret"), "{text}");
    }
}

#[cfg(feature = "websocket")]
#[tokio::test]
async fn a_websocket_url_whose_port_is_none_is_refused() {
    use mcp_runtime::transport::websocket::websocket;

    let connected = Client::builder("test", "1").connect(websocket("ws://127.0.0.1:99999/x"));
    let Err(ConnectError::Open(error)) = in_time(connected).await else {
        panic!("the URL was accepted");
    };
    assert!(error.to_string().contains("99999"), "{error}");
}

/// Returns the header `Authorization` that a server gets from a client.
async fn authorization(user: &str, header: Option<&str>) -> String {
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let server = Scripted::new(move |exchange| {
        *log.lock().unwrap() = exchange.header("authorization").to_owned();
        async move {
            exchange.shake_hands().await;
        }
    });
    let server = server.await;
    let mut url = http_client(format!("http://{user}@{}/mcp", server.addr));
    if let Some(value) = header {
        url = url.header("Authorization", value);
    }
    let client = Client::builder("test", "1").era(Era::Handshake);
    let client = in_time(client.connect(url)).await.unwrap();
    client.close().await;
    seen.lock().unwrap().clone()
}

#[tokio::test]
async fn user_information_is_sent_as_credentials() {
    // The credentials are "ann:p@ss" and "ann:".
    assert_eq!(
        authorization("ann:p%40ss", None).await,
        "Basic YW5uOnBAc3M="
    );
    assert_eq!(authorization("ann", None).await, "Basic YW5uOg==");
    let own = authorization("ann:pass", Some("Bearer own")).await;
    assert_eq!(own, "Bearer own");
}
