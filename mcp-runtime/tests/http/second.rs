//! HTTP/2 with clients that use it from the beginning.

use http::Request;
use http::request::Parts;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::net::TcpStream;

use crate::site::{Answer, Site, read, read_until};
use crate::support::stateless;

async fn connect(site: &Site) -> SendRequest<String> {
    let stream = TcpStream::connect(site.addr).await.unwrap();
    let io = TokioIo::new(stream);
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), io);
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

/// Converts a request to the form that HTTP/2 requires.
fn second(site: &Site, request: Request<String>) -> Request<String> {
    let (mut parts, body): (Parts, _) = request.into_parts();
    parts.headers.remove("host");
    parts.uri = format!("http://{}{}", site.addr, parts.uri)
        .parse()
        .unwrap();
    Request::from_parts(parts, body)
}

async fn ask(sender: &mut SendRequest<String>, request: Request<String>) -> Answer {
    read(sender.send_request(request).await.unwrap()).await
}

#[tokio::test]
async fn both_eras_are_served_over_one_connection() {
    let site = Site::open().await;
    let mut sender = connect(&site).await;
    let message = stateless(1, "tools/list", json!({}));
    let answer = ask(&mut sender, second(&site, site.stateless(&message))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.json()["result"]["tools"].is_array());

    let session = site.session("2025-11-25").await;
    let ping = session.post(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    let answer = ask(&mut sender, second(&site, ping)).await;
    assert_eq!(answer.json()["result"], json!({}));
}

#[tokio::test]
async fn a_stream_does_not_hold_up_other_requests() {
    let site = Site::open().await;
    let mut sender = connect(&site).await;
    let waits = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let waits = second(&site, site.stateless(&waits));
    let mut stream = sender.send_request(waits).await.unwrap();
    read_until(&mut stream, "notifications/progress").await;
    let message = stateless(2, "tools/call", json!({"name": "echo"}));
    let answer = ask(&mut sender, second(&site, site.stateless(&message))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn dropping_a_stream_cancels_its_call() {
    let mut site = Site::open().await;
    let mut sender = connect(&site).await;
    let waits = stateless(1, "tools/call", json!({"name": "silent"}));
    let waits = second(&site, site.stateless(&waits));
    let mut answer = Box::pin(sender.send_request(waits));
    tokio::select! {
        answer = &mut answer => panic!("{answer:?}"),
        started = site.events.recv() => assert_eq!(started, Some("started")),
    }
    drop(answer);
    assert_eq!(site.events.recv().await, Some("dropped"));
}

#[tokio::test]
async fn calls_are_counted_for_each_connection() {
    let options = mcp_runtime::transport::http::HttpOptions::default().max_in_flight(1);
    let site = Site::with(options).await;
    let mut sender = connect(&site).await;
    let waits = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let waits = second(&site, site.stateless(&waits));
    let mut stream = sender.send_request(waits).await.unwrap();
    read_until(&mut stream, "notifications/progress").await;
    let message = stateless(2, "tools/call", json!({"name": "soon"}));
    let soon = || second(&site, site.stateless(&message));
    assert_eq!(ask(&mut sender, soon()).await.status, 429);
    let mut other = connect(&site).await;
    assert_eq!(ask(&mut other, soon()).await.status, 200);
}

#[tokio::test]
async fn hosts_and_origins_are_checked_all_the_same() {
    let site = Site::open().await;
    let mut sender = connect(&site).await;
    let message = stateless(1, "tools/list", json!({}));
    let mut request = second(&site, site.stateless(&message));
    *request.uri_mut() = "http://evil.example.com/mcp".parse().unwrap();
    assert_eq!(ask(&mut sender, request).await.status, 403);
    let mut request = second(&site, site.stateless(&message));
    let origin = "http://evil.example.com".parse().unwrap();
    request.headers_mut().insert("origin", origin);
    assert_eq!(ask(&mut sender, request).await.status, 403);
}
