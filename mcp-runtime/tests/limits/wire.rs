//! Servers that listen on loopback, and peers that send exactly the bytes of a test.

use std::future::{Future, IntoFuture as _};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use mcp_runtime::server::{Endpoint, Serve, ShutdownHandle};
use mcp_runtime::transport::http::{Http, HttpOptions, http};
use mcp_runtime::transport::socket::tcp_client;
use mcp_runtime::transport::socket::Tcp;
use mcp_runtime::transport::tcp;
use mcp_runtime::{Client, ClientBuilder, Revision, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::clock::{Clock, in_time};
use crate::support::{self, scripted};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) struct Served {
    pub(crate) addr: SocketAddr,
    pub(crate) shutdown: ShutdownHandle,
    pub(crate) serving: JoinHandle<Result<(), ServeError>>,
}

impl Served {
    pub(crate) fn at<E: Endpoint>(
        server: &Server,
        endpoint: impl FnOnce(StdListener) -> E,
        configure: impl FnOnce(Serve<E>) -> Serve<E>,
    ) -> Self {
        let listener = StdListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let serve = configure(server.serve(endpoint(listener)).signals(false));
        Self {
            addr,
            shutdown: serve.shutdown_handle(),
            serving: tokio::spawn(serve.into_future()),
        }
    }

    pub(crate) fn tcp(server: &Server, configure: impl FnOnce(Serve<Tcp>) -> Serve<Tcp>) -> Self {
        Self::at(server, tcp, configure)
    }

    pub(crate) fn http(server: &Server, configure: impl FnOnce(Http) -> Http) -> Self {
        Self::at(server, |listener| configure(http(listener)), |serve| serve)
    }

    pub(crate) fn http_with(server: &Server, options: HttpOptions) -> Self {
        Self::http(server, |http| http.options(options))
    }

    pub(crate) async fn peer(&self) -> Peer {
        Peer::on(TcpStream::connect(self.addr).await.unwrap())
    }

    /// Returns a peer after the handshake.
    pub(crate) async fn operating(&self, initialize: Value) -> Peer {
        let mut peer = self.peer().await;
        let answer = peer.ask(initialize).await;
        assert!(answer["result"].is_object(), "{answer}");
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        peer
    }

    /// Sends bytes over HTTP, and reads until the connection is closed.
    pub(crate) async fn exchange(&self, bytes: &str) -> Answer {
        let mut stream = self.open(bytes).await;
        in_time(Answer::read(&mut stream)).await
    }

    pub(crate) async fn open(&self, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        stream
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.exchange(&post(headers, message)).await
    }

    /// Opens a session in the newest revision that has sessions, and returns its id.
    pub(crate) async fn session(&self) -> String {
        let opened = self.post(&[], &support::initialize("2025-11-25")).await;
        let id = opened.header("mcp-session-id").to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.post(&[("mcp-session-id", &id)], &initialized).await;
        id
    }
}

/// Returns a request over HTTP/1.0, whose answer ends with the connection. The headers of stateless
/// messages are added.
pub(crate) fn post(headers: &[(&str, &str)], message: &Value) -> String {
    let mut head = "POST /mcp HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        .to_owned();
    let params = &message["params"];
    if params["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string() {
        head += "mcp-protocol-version: 2026-07-28\r\n";
        head += &format!("mcp-method: {}\r\n", message["method"].as_str().unwrap());
        if let Some(name) = params["name"].as_str() {
            head += &format!("mcp-name: {name}\r\n");
        }
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let body = message.to_string();
    format!("{head}content-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn get(session: &str, last: Option<&str>) -> String {
    let last = last.map(|id| format!("last-event-id: {id}\r\n"));
    format!(
        "GET /mcp HTTP/1.0\r\nhost: localhost\r\naccept: text/event-stream\r\n\
         mcp-session-id: {session}\r\n{}\r\n",
        last.unwrap_or_default()
    )
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    async fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).unwrap();
        Self {
            status: status.parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        let line = self.head.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

pub(crate) async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        let mut bytes = [0; 4096];
        let length = in_time(stream.read(&mut bytes)).await.unwrap();
        assert!(length > 0, "`{text}` is not in: {read}");
        read.push_str(&String::from_utf8_lossy(&bytes[..length]));
    }
    read
}

pub(crate) fn read_now(stream: &TcpStream) -> String {
    let mut bytes = vec![0; 1 << 20];
    match stream.try_read(&mut bytes) {
        Ok(length) => String::from_utf8_lossy(&bytes[..length]).into_owned(),
        Err(_) => String::new(),
    }
}

/// Waits for `event`, which must be ready after `time` and not before, and returns its output.
///
/// The event may come up to `time` later, because something may have to be received before its
/// timer starts. After that the clock stops, so an event that never comes, or comes much
/// later, is a failure.
pub(crate) async fn comes_after<T>(
    clock: &Clock,
    time: Duration,
    event: impl Future<Output = T>,
) -> T {
    const STEPS: u32 = 20;
    let mut event = pin!(event);
    for step in 0..2 * STEPS {
        if let Some(output) = event.as_mut().now_or_never() {
            let passed = time / STEPS * step;
            assert!(step + 1 >= STEPS, "after {passed:?} instead of {time:?}");
            return output;
        }
        clock.pass(time / STEPS).await;
        // Let sent bytes arrive.
        for _ in 0..10 {
            clock.pass(Duration::ZERO).await;
        }
    }
    let begun = std::time::Instant::now();
    loop {
        if let Some(output) = event.as_mut().now_or_never() {
            return output;
        }
        assert!(begun.elapsed() < 60 * SECOND, "not after {time:?}");
        tokio::task::yield_now().await;
    }
}

/// Reads until a connection is closed.
pub(crate) async fn end_of(mut stream: TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    // The connection may be reset.
    let _ = stream.read_to_end(&mut rest).await;
    rest
}

/// One end of a connection with a message in each line.
pub(crate) struct Peer(pub(crate) BufReader<TcpStream>);

impl Peer {
    pub(crate) fn on(stream: TcpStream) -> Self {
        // Without this, messages could wait for acknowledgements, which depend on the machine's
        // clock.
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) async fn accept(listener: &TcpListener) -> Self {
        Self::on(in_time(listener.accept()).await.unwrap().0)
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.0.write_all(line.as_bytes()).await.unwrap();
    }

    /// Returns the next message; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        // A peer that has left may have reset the connection.
        self.0.read_line(&mut line).await.ok()?;
        serde_json::from_str(&line).ok()
    }

    pub(crate) fn next_now(&mut self) -> Option<Value> {
        self.next().now_or_never().flatten()
    }

    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(&message).await;
        in_time(self.next()).await.expect("an answer")
    }

    pub(crate) async fn until_answered(&mut self, id: i64) -> Vec<Value> {
        let mut messages = Vec::new();
        let answers = |last: &Value| last["id"] == id && last["method"].is_null();
        while !messages.last().is_some_and(answers) {
            messages.push(in_time(self.next()).await.expect("an answer"));
        }
        messages
    }

    /// Returns the id and parameters of the next message, which must have this method.
    pub(crate) async fn expect(&mut self, method: &str) -> (Value, Value) {
        let message = self.next().await.expect("a message");
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    pub(crate) async fn answer(&mut self, id: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    pub(crate) async fn shake_hands(&mut self) {
        let (id, _) = self.expect("initialize").await;
        self.answer(&id, scripted::initialized("2025-11-25")).await;
        self.expect("notifications/initialized").await;
    }
}

/// Returns a client, its connection to a test's server in the handshake era, and the listener for
/// more connections.
pub(crate) async fn connected(builder: ClientBuilder) -> (Client, Peer, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let connect = builder
        .revision(Revision::V2025_11_25)
        .connect_with(move || tcp_client(addr));
    let accept = async {
        let mut peer = Peer::accept(&listener).await;
        peer.shake_hands().await;
        peer
    };
    let (client, peer) = tokio::join!(connect, accept);
    (client.unwrap(), peer, listener)
}

pub(crate) fn builder() -> ClientBuilder {
    Client::builder("test", "1").without_keep_alive()
}
