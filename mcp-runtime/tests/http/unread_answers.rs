//! Clients that leave answers unread.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use h2::RecvStream;
use h2::client::SendRequest;
use http::Request;
use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use mcp_runtime::transport::http::HttpOptions;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::site::Site;
use crate::support::clock::{Clock, in_time};
use crate::support::{self, stateless};

const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// The number of bytes of each answer that a client accepts before it reads.
const WINDOW: u32 = 1000;
const LARGE: usize = 100_000;

/// An HTTP/2 client that answers pings, and reads only when a test tells it to.
struct Reader {
    sender: SendRequest<Bytes>,
    connection: JoinHandle<Result<(), h2::Error>>,
}

impl Reader {
    async fn connect(site: &Site) -> Self {
        let stream = TcpStream::connect(site.addr).await.unwrap();
        let mut builder = h2::client::Builder::new();
        builder
            .initial_window_size(WINDOW)
            .initial_connection_window_size(1 << 20);
        let (sender, connection) = builder.handshake(stream).await.unwrap();
        Self {
            sender,
            connection: tokio::spawn(connection),
        }
    }

    async fn call(&self, site: &Site, tool: &str, text: usize) -> h2::client::ResponseFuture {
        let arguments = json!({"text": "x".repeat(text)});
        let message = stateless(
            1,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        );
        let (mut parts, body) = site.stateless(&message).into_parts();
        parts.headers.remove("host");
        parts.uri = format!("http://{}/mcp", site.addr).parse().unwrap();
        let mut sender = self.sender.clone().ready().await.unwrap();
        let request = Request::from_parts(parts, ());
        let (answer, mut sending) = sender.send_request(request, false).unwrap();
        sending.send_data(body.into(), true).unwrap();
        answer
    }

    async fn health(&self, site: &Site) -> Result<u16, h2::Error> {
        let mut sender = self.sender.clone().ready().await?;
        let request = Request::get(format!("http://{}/health", site.addr));
        let (answer, _) = sender.send_request(request.body(()).unwrap(), true)?;
        let (head, mut body) = answer.await?.into_parts();
        while let Some(bytes) = body.data().await {
            bytes?;
        }
        Ok(head.status.as_u16())
    }
}

async fn unread(answer: h2::client::ResponseFuture) -> RecvStream {
    let answer = in_time(answer).await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.into_body()
}

async fn text(body: &mut RecvStream) -> String {
    let mut text = Vec::new();
    while let Some(data) = in_time(body.data()).await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        text.extend_from_slice(&data);
    }
    String::from_utf8(text).unwrap()
}

async fn read(body: &mut RecvStream, bytes: usize) -> usize {
    let mut read = 0;
    while read < bytes {
        let Some(data) = in_time(body.data()).await else {
            break;
        };
        let length = data.unwrap().len();
        body.flow_control().release_capacity(length).unwrap();
        read += length;
    }
    read
}

fn options() -> HttpOptions {
    HttpOptions::default().write_timeout(WRITE_TIMEOUT)
}

#[tokio::test]
async fn a_connection_is_closed_whose_oldest_answer_does_not_move() {
    let clock = Clock::stopped();
    let site = Site::with(options()).await;
    let reader = Reader::connect(&site).await;
    let start = Instant::now();
    let body = unread(reader.call(&site, "echo", LARGE).await).await;
    // The client reads other answers, and the connection is alive.
    while !reader.connection.is_finished() && start.elapsed() < WRITE_TIMEOUT * 10 {
        let _ = reader.health(&site).await;
        clock.pass(WRITE_TIMEOUT / 20).await;
    }
    let closed = start.elapsed();
    assert!(
        WRITE_TIMEOUT <= closed && closed <= WRITE_TIMEOUT * 2,
        "{closed:?}"
    );
    drop(body);
    site.lives_on().await;
}

/// Repeats a request over HTTP/1 without reading, and returns the time until the connection was
/// closed.
async fn given_up(clock: &Clock, site: &Site, request: &str) -> Duration {
    let stream = TcpStream::connect(site.addr).await.unwrap();
    let start = Instant::now();
    let requests = request.repeat(1000);
    let mut rest = requests.as_bytes();
    while start.elapsed() < WRITE_TIMEOUT * 10 {
        match stream.try_write(rest) {
            Ok(sent) if sent < rest.len() => rest = &rest[sent..],
            Ok(_) => rest = requests.as_bytes(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                clock.pass(WRITE_TIMEOUT / 20).await;
                stream.writable().now_or_never();
            }
            Err(_) => return start.elapsed(),
        }
        clock.pass(Duration::ZERO).await;
    }
    panic!("the connection stays open");
}

#[tokio::test]
async fn a_client_of_http_1_that_reads_nothing_is_given_up() {
    let clock = Clock::stopped();
    let site = Site::with(options()).await;
    let message = stateless(
        1,
        "tools/call",
        json!({"name": "echo", "arguments": {"text": "x".repeat(LARGE)}}),
    );
    let (parts, body) = site.stateless(&message).into_parts();
    let mut call = format!("POST /mcp HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in &parts.headers {
        call += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    call += &format!("\r\n{body}");
    let closed = given_up(&clock, &site, &call).await;
    assert!(
        WRITE_TIMEOUT <= closed && closed <= WRITE_TIMEOUT * 2,
        "{closed:?}"
    );

    // Answers that are not limited do not keep a connection open either.
    let health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let site = Site::with(options().without_sessions()).await;
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let notification = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    for request in [health, &notification] {
        let closed = given_up(&clock, &site, request).await;
        assert!(closed <= WRITE_TIMEOUT * 2, "{request}: {closed:?}");
    }
    site.lives_on().await;
}

#[tokio::test]
async fn a_connection_goes_on_whose_answers_are_read_slowly() {
    let clock = Clock::stopped();
    let site = Site::with(options()).await;
    let reader = Reader::connect(&site).await;
    let mut body = unread(reader.call(&site, "echo", LARGE).await).await;
    let mut all = 0;
    let start = Instant::now();
    loop {
        let read = read(&mut body, 20_000).await;
        all += read;
        if read < 20_000 {
            break;
        }
        clock.pass(WRITE_TIMEOUT * 3 / 4).await;
    }
    assert!(all > LARGE, "{all}");
    assert!(start.elapsed() > WRITE_TIMEOUT * 2);
    assert_eq!(reader.health(&site).await.unwrap(), 200);
}

#[tokio::test]
async fn calls_wait_while_their_connection_has_too_much_unread() {
    let mut site = Site::with(options().max_unread_bytes(LARGE)).await;
    let reader = Reader::connect(&site).await;
    let mut body = unread(reader.call(&site, "echo", LARGE).await).await;
    let waiting = reader.call(&site, "silent", 0).await;
    for _ in 0..10 {
        assert_eq!(reader.health(&site).await.unwrap(), 200);
    }
    assert!(site.events.try_recv().is_err(), "the call waits");

    let other = Reader::connect(&site).await;
    let elsewhere = other.call(&site, "silent", 0).await;
    assert_eq!(in_time(site.events.recv()).await, Some("started"));
    assert!(read(&mut body, usize::MAX).await > LARGE);
    assert_eq!(in_time(site.events.recv()).await, Some("started"));
    drop((waiting, elsewhere));
}

#[tokio::test]
async fn calls_that_come_at_once_wait_for_each_other() {
    const CALLS: usize = 20;
    let site = Site::with(options().max_unread_bytes(LARGE)).await;
    let reader = Reader::connect(&site).await;
    let mut answers = JoinSet::new();
    for _ in 0..CALLS {
        answers.spawn(reader.call(&site, "echo", LARGE).await);
    }
    for _ in 0..CALLS {
        // The head of an answer shows that the call was served.
        let answer = in_time(answers.join_next()).await.unwrap().unwrap();
        for _ in 0..3 {
            assert_eq!(reader.health(&site).await.unwrap(), 200);
        }
        assert!(answers.try_join_next().is_none(), "one more was served");
        let mut body = answer.unwrap().into_body();
        assert!(read(&mut body, usize::MAX).await > LARGE);
    }
}

#[tokio::test]
async fn calls_wait_while_all_connections_have_too_much_unread() {
    let mut site = Site::with(options().max_unread_bytes_total(LARGE)).await;
    let reader = Reader::connect(&site).await;
    let body = unread(reader.call(&site, "echo", LARGE).await).await;
    let other = Reader::connect(&site).await;
    let waiting = other.call(&site, "silent", 0).await;
    for _ in 0..10 {
        assert_eq!(other.health(&site).await.unwrap(), 200);
    }
    assert!(site.events.try_recv().is_err(), "the call waits");
    // When the stream is dropped, so is the answer.
    drop(body);
    assert_eq!(in_time(site.events.recv()).await, Some("started"));
    drop(waiting);
}

#[tokio::test]
async fn what_waits_is_served_when_a_connection_that_does_not_read_was_closed() {
    let clock = Clock::stopped();
    let mut site = Site::with(options().max_unread_bytes_total(LARGE)).await;
    let reader = Reader::connect(&site).await;
    let body = unread(reader.call(&site, "echo", LARGE).await).await;
    let other = Reader::connect(&site).await;
    let waiting = other.call(&site, "silent", 0).await;
    let started = tokio::time::timeout(WRITE_TIMEOUT * 3, site.events.recv());
    let started = clock.run_until(WRITE_TIMEOUT / 20, started).await;
    assert_eq!(started.unwrap(), Some("started"));
    let _ = in_time(reader.connection).await.unwrap();
    drop((body, waiting));
}

/// Creates a server with a tool that reports when it begins, and answers with `LARGE` bytes once
/// there are permits.
fn late() -> (Server, mpsc::UnboundedReceiver<()>, Arc<Semaphore>) {
    let (begun, begins) = mpsc::unbounded_channel();
    let permits = Arc::new(Semaphore::new(0));
    let wanted = Arc::clone(&permits);
    let mut server = support::builder();
    server.tool(support::tool("late", move |_| {
        let begun = begun.clone();
        let wanted = Arc::clone(&wanted);
        Reply::Pending(Box::pin(async move {
            begun.send(()).unwrap();
            wanted.acquire().await.unwrap().forget();
            Ok(support::text("x".repeat(LARGE)))
        }))
    }));
    (server.build(), begins, permits)
}

#[tokio::test]
async fn answers_beyond_twice_the_limit_are_cut() {
    const CALLS: usize = 20;
    for (options, connections) in [
        (options().max_unread_bytes(3 * LARGE), 1),
        (options().max_unread_bytes_total(3 * LARGE), 4),
    ] {
        let (server, mut begins, permits) = late();
        let site = Site::of_with(&server, options);
        let mut answers = Vec::new();
        for _ in 0..connections {
            let reader = Reader::connect(&site).await;
            for _ in 0..CALLS / connections {
                answers.push(reader.call(&site, "late", 0).await);
                in_time(begins.recv()).await;
            }
        }
        permits.add_permits(CALLS);
        let mut bodies = Vec::new();
        for answer in answers {
            bodies.push(unread(answer).await);
        }
        // All answers exist, and none has been read yet.
        let mut whole = 0;
        for mut body in bodies {
            let text = text(&mut body).await;
            let message: Value = serde_json::from_str(&text).unwrap();
            match message["error"]["code"].as_i64() {
                None => whole += 1,
                code => assert_eq!(code, Some(-32603), "{text}"),
            }
        }
        assert!((3..=6).contains(&whole), "{whole} are answered whole");
        permits.add_permits(1);
        let again = Reader::connect(&site).await.call(&site, "late", 0).await;
        assert!(read(&mut unread(again).await, usize::MAX).await > LARGE);
    }
}
