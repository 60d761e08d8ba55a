//! The end of a server.

use std::io::Write as _;
use std::time::Duration;

use h2::client::SendRequest;
use http::Request;
use mcp_runtime::transport::http::Http;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::site::{Answer, Site, read, read_until};
use crate::streams::with_roots;
use crate::support::clock::{Clock, in_time};
use crate::support::{call, stateless};

const LINGER: Duration = Duration::from_secs(1);

/// Long enough for quick operations, and short enough for a test.
const SHORT: Duration = Duration::from_millis(20);

#[tokio::test]
async fn calls_in_flight_finish_and_new_ones_are_refused() {
    let clock = Clock::stopped();
    let site = Site::open().await;
    let session = site
        .session_of(&with_roots("2025-11-25"), "2025-11-25")
        .await;
    let standalone = session.listen(None).await;
    let mut waiting = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut waiting, "notifications/progress").await;
    let (mut begun, other_half) = half_sent(&site).await;
    let mut kept = site.connect().await;
    let list = site.stateless(&stateless(1, "tools/list", json!({})));
    read(kept.send_request(list).await.unwrap()).await;

    site.shutdown.shut_down();
    clock.pass(Duration::ZERO).await;
    clock.pass(LINGER + SHORT).await;
    read(standalone).await;
    begun.write_all(other_half.as_bytes()).await.unwrap();
    let told = rest(&mut begun).await;
    assert!(told.starts_with("HTTP/1.1 503"), "{told}");
    assert!(told.contains("\r\nconnection: close\r\n"), "{told}");
    assert!(told.contains("-32603"), "{told}");

    drop((waiting, kept, begun));
    let Site { serving, .. } = site;
    let served = clock.run_until(LINGER / 10, serving).await;
    served.unwrap().unwrap();
}

/// Sends the first half of a request for the list of tools, and returns the second half.
async fn half_sent(site: &Site) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    let list = list();
    let (first, second) = list.split_at(list.find("content-type").unwrap());
    stream.write_all(first.as_bytes()).await.unwrap();
    (stream, second.to_owned())
}

/// Checks for the error of a call that was still running when the server stopped waiting.
fn assert_cut(message: &Value) {
    assert_eq!(message["id"], 1, "{message}");
    assert_eq!(message["error"]["code"], -32603, "{message}");
    let text = message["error"]["message"].as_str().unwrap();
    assert!(text.contains("shutting down"), "{text}");
}

#[tokio::test]
async fn calls_that_take_too_long_are_answered_with_an_error() {
    let mut site = Site::draining(SHORT, |http| http).await;
    let session = site.session("2025-11-25").await;
    let of_session = session.post(&call(1, "silent", json!({})));
    let silent = site.stateless(&stateless(1, "tools/call", json!({"name": "silent"})));
    let telling = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let mut telling = site.start(site.stateless(&telling)).await;
    read_until(&mut telling, "notifications/progress").await;
    let mut connections = (site.connect().await, site.connect().await);
    let cut: (Answer, Answer, Answer, ()) = tokio::join!(
        async { read(connections.0.send_request(of_session).await.unwrap()).await },
        async { read(connections.1.send_request(silent).await.unwrap()).await },
        async { read(telling).await },
        async {
            for _ in 0..2 {
                assert_eq!(site.events.recv().await, Some("started"));
            }
            site.shutdown.shut_down();
        },
    );
    assert_cut(&cut.0.json());
    assert_cut(&cut.1.json());
    assert_cut(cut.2.messages().last().unwrap());
    // The call may have had effects, so its status must not tell the client to repeat it.
    assert_eq!(
        (cut.0.status, cut.1.status),
        (200.try_into().unwrap(), 200.try_into().unwrap())
    );
    in_time(site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_in_flight_have_the_drain_time_after_new_ones_are_refused() {
    let clock = Clock::stopped();
    let mut site = Site::draining(3 * LINGER, |http| http).await;
    let silent = site.stateless(&stateless(1, "tools/call", json!({"name": "silent"})));
    let call = tokio::spawn(site.connect().await.send_request(silent));
    assert_eq!(site.events.recv().await, Some("started"));
    site.shutdown.shut_down();
    clock.pass(Duration::ZERO).await;
    clock.pass(LINGER + SHORT).await;
    clock.pass(3 * LINGER - 2 * SHORT).await;
    assert!(!call.is_finished() && !site.serving.is_finished());
    clock.pass(4 * SHORT).await;
    assert_cut(&read(call.await.unwrap().unwrap()).await.json());
    clock.go_on();
    in_time(site.serving).await.unwrap().unwrap();
}

#[cfg(feature = "sse")]
#[tokio::test]
async fn calls_of_clients_of_2024_11_05_are_drained_as_well() {
    let site = Site::draining(SHORT, Http::with_sse).await;
    let (mut stream, address) = crate::legacy::operating(&site).await;
    let posted = crate::legacy::post(&site, &address, &call(1, "never", json!({}))).await;
    assert_eq!(posted, 202);
    site.shutdown.shut_down();
    assert_cut(&in_time(crate::legacy::answer(&mut stream)).await);
    drop(stream);
    in_time(site.serving).await.unwrap().unwrap();
}

const HEALTH: &str = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// A stateless request for the list of tools.
fn list() -> String {
    let message = stateless(1, "tools/list", json!({})).to_string();
    let length = message.len();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/list\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{message}"
    )
}

/// Opens a connection, and sends one request that is answered.
async fn kept_alive(site: &Site) -> TcpStream {
    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    stream.write_all(HEALTH.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        answer.push(stream.read_u8().await.unwrap());
    }
    stream
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    rest
}

#[tokio::test]
async fn requests_on_connections_that_were_kept_alive_are_served_and_told_of_the_end() {
    let clock = Clock::stopped();
    let site = Site::open().await;
    let mut asks = kept_alive(&site).await;
    let mut idle = kept_alive(&site).await;
    site.shutdown.shut_down();
    clock.pass(LINGER / 2).await;
    asks.write_all(list().as_bytes()).await.unwrap();
    let told = rest(&mut asks).await;
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    assert!(told.contains("\r\nconnection: close\r\n"), "{told}");
    assert!(told.contains(r#""tools":["#), "{told}");

    let closed = clock.run_until(LINGER / 10, rest(&mut idle)).await;
    assert_eq!(closed, "");
    assert!(
        !site.serving.is_finished(),
        "the client has not closed its direction yet"
    );
    // This is too late to be served, but it does not reset the connection.
    idle.write_all(HEALTH.as_bytes()).await.unwrap();
    clock.pass(Duration::ZERO).await;
    idle.write_all(HEALTH.as_bytes()).await.unwrap();
    drop((asks, idle));
    in_time(site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_listener_is_closed_before_anything_is_refused() {
    let clock = Clock::stopped();
    let site = Site::open().await;
    let mut open = kept_alive(&site).await;
    let mut probe = kept_alive(&site).await;
    let mut health = kept_alive(&site).await;
    site.shutdown.shut_down();
    clock.pass(Duration::ZERO).await;
    let refused = TcpStream::connect(site.addr).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    for (stream, request, status) in [
        (&mut open, list(), "HTTP/1.1 200"),
        (
            &mut probe,
            HEALTH.replace("health", "ready"),
            "HTTP/1.1 503",
        ),
        (&mut health, HEALTH.to_owned(), "HTTP/1.1 200"),
    ] {
        stream.write_all(request.as_bytes()).await.unwrap();
        let told = rest(stream).await;
        assert!(told.starts_with(status), "{told}");
    }
}

#[tokio::test]
async fn the_time_for_idle_connections_is_within_the_drain() {
    let clock = Clock::stopped();
    let site = Site::draining(LINGER / 2, |http| http.linger(LINGER * 100)).await;
    let mut idle = kept_alive(&site).await;
    site.shutdown.shut_down();
    assert_eq!(clock.run_until(LINGER / 10, rest(&mut idle)).await, "");
    drop(idle);
    in_time(site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_answer_is_not_lost_to_input_that_nobody_reads() {
    let clock = Clock::stopped();
    let site = Site::open().await;
    let mut stream = kept_alive(&site).await;
    site.shutdown.shut_down();
    clock.pass(LINGER / 2).await;
    let many = HEALTH.repeat(10_000);
    stream.write_all(many.as_bytes()).await.unwrap();
    let told = rest(&mut stream).await;
    assert_eq!(told.matches("HTTP/1.1 200").count(), 1, "{told}");
}

/// Opens an HTTP/2 connection on which one request is answered, and returns it with a task that
/// ends when it closes.
async fn second(site: &Site) -> (SendRequest<bytes::Bytes>, tokio::task::JoinHandle<()>) {
    let stream = TcpStream::connect(site.addr).await.unwrap();
    let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
    let closed = tokio::spawn(async { connection.await.unwrap() });
    let health = Request::get(format!("http://{}/health", site.addr));
    let (answer, _) = sender.send_request(health.body(()).unwrap(), true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    (sender, closed)
}

#[tokio::test]
async fn http_2_is_told_to_go_away() {
    let clock = Clock::stopped();
    let site = Site::open().await;
    let (sender, closed) = second(&site).await;
    site.shutdown.shut_down();
    // The client gets GOAWAY immediately, not after the linger time.
    let told = timeout(LINGER / 2, closed);
    let told = clock.run_until(LINGER / 10_000, told).await;
    told.expect("the connection was not closed").unwrap();
    assert!(sender.ready().await.is_err_and(|error| error.is_go_away()));
    clock.go_on();
    in_time(site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn connections_that_wait_to_be_accepted_are_served_and_not_reset() {
    let site = Site::open().await;
    // The kernel accepts all connections before the server task runs.
    let waiting: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(site.addr).unwrap();
            stream.write_all(list().as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            TcpStream::from_std(stream).unwrap()
        })
        .collect();
    site.shutdown.shut_down();
    for mut stream in waiting {
        let told = in_time(rest(&mut stream)).await;
        assert!(told.starts_with("HTTP/1.1 200"), "{told}");
        assert!(told.contains("\r\nconnection: close\r\n"), "{told}");
    }
    in_time(site.serving).await.unwrap().unwrap();
}
