//! Clients that are slow or idle, or do not read.

use std::time::Duration;

use mcp_runtime::transport::http::HttpOptions;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::site::Site;
use crate::support::clock::Clock;
use crate::support::stateless;

const SOON: Duration = Duration::from_secs(1);

/// Lets time pass until the server has closed the connection, and returns that time.
async fn closed(clock: &Clock, mut stream: TcpStream) -> Duration {
    let start = Instant::now();
    let mut rest = Vec::new();
    // Closing a connection with unread input resets it, so reading may fail.
    let closed = tokio::time::timeout(SOON * 100, stream.read_to_end(&mut rest));
    let closed = clock.run_until(SOON / 10, closed).await;
    assert!(closed.is_ok(), "the connection stays open");
    start.elapsed()
}

#[tokio::test]
async fn a_connection_on_which_no_request_comes_is_closed() {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    let clock = Clock::stopped();
    let site = Site::serve(|http| http.head_timeout(SOON)).await;
    let post = b"POST /mcp HTTP/1.1\r\nhost: loc";
    for said in [&b""[..], b"P", &PREFACE[..10], PREFACE, post] {
        let mut stream = TcpStream::connect(site.addr).await.unwrap();
        stream.write_all(said).await.unwrap();
        let after = closed(&clock, stream).await;
        let said = String::from_utf8_lossy(said);
        // With HTTP/2, the closing exchange may take as long again.
        assert!(after >= SOON && after <= SOON * 3, "{said:?}: {after:?}");
    }
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

    // Answers to pings do not keep the connection open.
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
