//! Clients that are slow, idle, or do not read.

use std::time::Duration;

use mcp_runtime::transport::http::HttpOptions;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::site::Site;
use crate::support::clock::Clock;
use crate::support::stateless;

const SOON: Duration = Duration::from_secs(1);

/// Lets time pass until the server has closed the connection.
async fn closed(clock: &Clock, mut stream: TcpStream) {
    let mut rest = Vec::new();
    // Closing with input unread is a reset.
    let closed = stream.read_to_end(&mut rest);
    let _ = clock.run_until(SOON / 10, closed).await;
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_said_is_closed() {
    let clock = Clock::stopped();
    let site = Site::serve(|http| http.head_timeout(SOON)).await;
    closed(&clock, TcpStream::connect(site.addr).await.unwrap()).await;
    site.lives_on().await;
}

#[tokio::test]
async fn a_connection_that_is_kept_open_for_nothing_is_closed() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().keep_alive(SOON / 2);
    let site = Site::serve(|http| http.options(options).head_timeout(SOON)).await;
    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    let request = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    closed(&clock, stream).await;

    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    stream.write_all(preface).await.unwrap();
    closed(&clock, stream).await;

    // Neither do answers to pings keep it open.
    let stream = TcpStream::connect(site.addr).await.unwrap();
    let (_sender, connection) = h2::client::handshake(stream).await.unwrap();
    let closed = tokio::time::timeout(SOON * 10, connection);
    let closed = clock.run_until(SOON / 10, closed).await;
    assert!(closed.is_ok(), "the connection stays open");
    site.lives_on().await;
}

#[tokio::test]
async fn a_call_that_takes_its_time_does_not_make_a_connection_idle() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().keep_alive(SOON / 2);
    let mut site = Site::serve(|http| http.options(options).head_timeout(SOON)).await;
    let message = stateless(1, "tools/call", json!({"name": "silent"}));
    let request = site.stateless(&message);
    let mut sender = site.connect().await;
    let answer = tokio::spawn(sender.send_request(request));
    assert_eq!(site.events.recv().await, Some("started"));
    for _ in 0..50 {
        clock.pass(SOON / 10).await;
    }
    let dropped = site.events.try_recv();
    drop(answer);
    assert!(dropped.is_err(), "{dropped:?}");
}
