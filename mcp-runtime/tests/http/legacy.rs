//! HTTP+SSE, the transport of revision 2024-11-05.

use std::pin::Pin;

use http::Response;
use http_body::Body;
use hyper::body::Incoming;
use mcp_runtime::transport::http::{Http, HttpOptions, ResponseBody, http_service};
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::sessions::cancelled;
use crate::site::{Site, read_until};
use crate::support::{self, call, initialize};

/// Opens the stream, and returns it with the address to post to.
async fn open(site: &Site) -> (Response<Incoming>, String) {
    let request = site.request("GET").uri("/sse").body(String::new()).unwrap();
    let mut stream = site.start(request).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = read_until(&mut stream, "\n\n").await;
    let address = first.strip_prefix("event: endpoint\ndata: ").unwrap();
    (stream, address.trim_end().to_owned())
}

pub async fn post(site: &Site, address: &str, message: &Value) -> u16 {
    let request = site
        .request("POST")
        .uri(address)
        .header("content-type", "application/json");
    let answer = site.send(request.body(message.to_string()).unwrap()).await;
    answer.status.as_u16()
}

pub async fn answer(stream: &mut Response<Incoming>) -> Value {
    let event = read_until(stream, "\n\n").await;
    let data = event.lines().find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(data.unwrap()).unwrap()
}

/// Opens a session and completes its handshake.
pub async fn operating(site: &Site) -> (Response<Incoming>, String) {
    let (mut stream, address) = open(site).await;
    assert_eq!(post(site, &address, &initialize("2024-11-05")).await, 202);
    answer(&mut stream).await;
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(site, &address, &initialized).await, 202);
    (stream, address)
}

#[tokio::test]
async fn an_old_client_is_served_beside_the_new_ones() {
    let site = Site::serve(Http::with_sse).await;
    let (mut stream, address) = open(&site).await;
    assert_eq!(post(&site, &address, &initialize("2024-11-05")).await, 202);
    let agreed = answer(&mut stream).await;
    assert_eq!(agreed["result"]["protocolVersion"], "2024-11-05");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&site, &address, &initialized).await, 202);
    for tool in ["echo", "soon"] {
        assert_eq!(
            post(&site, &address, &call(tool, tool, json!({}))).await,
            202
        );
        assert_eq!(answer(&mut stream).await["id"], tool);
    }
    assert_eq!(
        post(&site, &address, &call(2, "tell", json!({}))).await,
        202
    );
    let events = read_until(&mut stream, "told").await;
    assert!(events.contains("notifications/progress"), "{events}");
    assert_eq!(post(&site, &address, &json!([])).await, 202);
    assert_eq!(answer(&mut stream).await["error"]["code"], -32600);
    site.lives_on().await;
}

#[tokio::test]
async fn the_session_ends_with_its_stream() {
    let site = Site::serve(Http::with_sse).await;
    let (stream, address) = open(&site).await;
    drop(stream);
    while post(&site, &address, &initialize("2024-11-05")).await != 404 {}
    assert_eq!(
        post(&site, "/messages", &initialize("2024-11-05")).await,
        400
    );
}

#[tokio::test]
async fn it_is_not_served_unless_it_is_asked_for() {
    let site = Site::open().await;
    let request = site.request("GET").uri("/sse").body(String::new()).unwrap();
    assert_eq!(site.send(request).await.status, 404);
}

#[tokio::test]
async fn it_can_be_mounted_at_one_path() {
    let mcp = http_service(support::server(), HttpOptions::default());
    let guard = mcp.start().await.unwrap();
    let mut sse = mcp.sse("/old");
    let mut send = async |method: &str, path: &str, body: String| {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", "application/json");
        sse.call(request.body(body).unwrap()).await.unwrap()
    };
    let mut stream = send("GET", "/old", String::new()).await.into_body();
    let first = event(&mut stream).await;
    let address = first
        .strip_prefix("event: endpoint\ndata: ")
        .unwrap()
        .trim_end();
    assert!(address.starts_with("/old?session_id="), "{address}");
    let message = initialize("2024-11-05").to_string();
    assert_eq!(send("POST", address, message).await.status(), 202);
    assert!(event(&mut stream).await.contains("2024-11-05"));
    assert_eq!(send("PUT", address, String::new()).await.status(), 405);
    guard.shut_down().await.unwrap();
    assert_eq!(send("GET", "/old", String::new()).await.status(), 503);
}

async fn event(body: &mut ResponseBody) -> String {
    let frame = std::future::poll_fn(|cx| Body::poll_frame(Pin::new(&mut *body), cx)).await;
    let bytes = frame.unwrap().unwrap().into_data().unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn a_cancellation_overtakes_a_call_in_the_transport_of_old_clients() {
    let site = Site::serve(Http::with_sse).await;
    let (mut stream, address) = operating(&site).await;
    for message in [
        cancelled(1),
        call(1, "echo", json!({})),
        call(2, "echo", json!({})),
    ] {
        assert_eq!(post(&site, &address, &message).await, 202);
    }
    assert_eq!(answer(&mut stream).await["id"], 2);
}
