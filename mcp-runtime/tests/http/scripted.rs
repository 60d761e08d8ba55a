//! An HTTP server that lets a test decide how to handle each request.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;

use crate::support::clock::in_time;

/// A server whose connections each carry one request.
pub struct Scripted {
    pub addr: SocketAddr,
    /// The number of open requests.
    open: watch::Receiver<usize>,
    seen: watch::Receiver<Vec<String>>,
    listening: Mutex<JoinHandle<()>>,
}

impl Scripted {
    /// Starts a server that passes each request to `serve`.
    pub async fn new<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(Exchange) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (open, watched) = watch::channel(0);
        let (seen, looked) = watch::channel(Vec::new());
        let open = Arc::new(open);
        let serve = Arc::new(serve);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let seen = seen.clone();
                let serve = Arc::clone(&serve);
                let open = Open::new(&open);
                tokio::spawn(async move {
                    if let Some(exchange) = Exchange::read(stream, open).await {
                        seen.send_modify(|seen| seen.push(exchange.name()));
                        serve(exchange).await;
                    }
                });
            }
        });
        Self {
            addr,
            open: watched,
            seen: looked,
            listening: Mutex::new(listening),
        }
    }

    /// Starts a server of the handshake era without a session stream. `serve` gets the requests
    /// that are not part of the handshake.
    pub async fn operating<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(Exchange) -> F + Send + Sync + 'static,
    ) -> Self {
        let serve = Arc::new(serve);
        Self::new(move |exchange| {
            let serve = Arc::clone(&serve);
            async move {
                if let Some(exchange) = exchange.shake_hands().await {
                    serve(exchange).await;
                }
            }
        })
        .await
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.addr)
    }

    pub async fn stop(&self) {
        let mut listening = self.listening.lock().await;
        listening.abort();
        let _ = (&mut *listening).await;
    }

    /// Returns the requests so far: the methods of messages, or the HTTP methods of requests
    /// without a message.
    pub fn seen(&self) -> Vec<String> {
        self.seen.borrow().clone()
    }

    /// Returns how often `name` was requested.
    pub fn count(&self, name: &str) -> usize {
        self.seen
            .borrow()
            .iter()
            .filter(|seen| *seen == name)
            .count()
    }

    /// Waits at most a minute until `name` was requested `count` times.
    pub async fn until_seen(&self, name: &str, count: usize) {
        in_time(self.seen_often(name, count)).await;
    }

    /// Waits without a time limit until `name` was requested `count` times.
    pub async fn seen_often(&self, name: &str, count: usize) {
        let mut seen = self.seen.clone();
        let enough = |seen: &Vec<String>| seen.iter().filter(|seen| *seen == name).count() >= count;
        seen.wait_for(enough).await.unwrap();
    }

    /// Waits until no request is open.
    pub async fn until_idle(&self) {
        let mut open = self.open.clone();
        in_time(open.wait_for(|open| *open == 0)).await.unwrap();
    }
}

/// Counts a request as open until it is dropped.
struct Open(Arc<watch::Sender<usize>>);

impl Open {
    fn new(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|open| *open += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

/// One request that waits for its answer.
pub struct Exchange {
    /// The HTTP method.
    pub verb: String,
    /// The path and query.
    pub target: String,
    pub headers: HeaderMap,
    pub message: Value,
    stream: BufReader<TcpStream>,
    _open: Open,
}

impl Exchange {
    async fn read(stream: TcpStream, open: Open) -> Option<Self> {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let mut words = line.split(' ').map(str::to_owned);
        let verb = words.next()?;
        let target = words.next()?;
        let mut headers = HeaderMap::new();
        loop {
            line.clear();
            stream.read_line(&mut line).await.ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            let name = HeaderName::try_from(name).ok()?;
            headers.append(name, HeaderValue::try_from(value).ok()?);
        }
        let length = headers.get("content-length");
        let length = length.map_or(0, |length| length.to_str().unwrap().parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.ok()?;
        let message = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Some(Self {
            verb,
            target,
            headers,
            message,
            stream,
            _open: open,
        })
    }

    /// Returns the method of the message, or the HTTP method if there is no message.
    pub fn name(&self) -> String {
        let method = self.message["method"].as_str();
        method.unwrap_or(&self.verb).to_owned()
    }

    #[allow(dead_code, reason = "used by other test programs")]
    pub fn peer_addr(&self) -> SocketAddr {
        self.stream.get_ref().peer_addr().unwrap()
    }

    /// Returns the name of the called tool.
    pub fn tool(&self) -> &str {
        self.message["params"]["name"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// Answers the request. `headers` are complete lines.
    pub async fn reply(mut self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status} Status\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        // The client may have left.
        let _ = self.stream.write_all(answer.as_bytes()).await;
        let _ = self.stream.shutdown().await;
    }

    pub async fn accept(self) {
        self.reply(202, "", "").await;
    }

    pub async fn result(self, result: Value) {
        let answer = json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result});
        let headers = "content-type: application/json\r\n";
        self.reply(200, headers, &answer.to_string()).await;
    }

    /// Answers a call with the content `text`.
    pub async fn say(self, text: &str) {
        self.result(json!({"content": [{"type": "text", "text": text}]}))
            .await;
    }

    /// Answers `initialize`, and opens the session `session`.
    pub async fn initialize(self, session: &str) {
        let result = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        });
        let answer = json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result});
        let headers = format!("content-type: application/json\r\nmcp-session-id: {session}\r\n");
        self.reply(200, &headers, &answer.to_string()).await;
    }

    /// Answers the requests of a handshake, and returns all other requests.
    pub async fn shake_hands(self) -> Option<Self> {
        match &*self.name() {
            "initialize" => self.initialize("s-1").await,
            "notifications/initialized" => self.accept().await,
            "GET" => self.reply(405, "", "").await,
            "DELETE" => self.reply(204, "", "").await,
            _ => return Some(self),
        }
        None
    }

    /// Begins a stream of events, and sends `text` on it.
    pub async fn stream(mut self, text: &str) -> Self {
        let head =
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
        self.stream.write_all(head.as_bytes()).await.unwrap();
        self.event(text).await;
        self
    }

    /// Sends `text` on a stream of events.
    pub async fn event(&mut self, text: &str) {
        let _ = self.stream.write_all(text.as_bytes()).await;
    }

    /// Resets the connection.
    pub fn reset(self) {
        let socket = socket2::SockRef::from(self.stream.get_ref());
        socket.set_linger(Some(std::time::Duration::ZERO)).unwrap();
    }

    /// Sends nothing until the client gives up.
    pub async fn hang(mut self) {
        let _ = self.stream.read_u8().await;
    }
}

/// A gate that blocks until a test opens it.
#[derive(Clone)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub async fn passed(&self) {
        let mut open = self.0.subscribe();
        open.wait_for(|open| *open).await.unwrap();
    }
}

/// Returns one item after the other, and then keeps returning the last.
pub struct Script<T>(std::sync::Mutex<Vec<T>>);

impl<T: Clone> Script<T> {
    pub fn new(items: impl IntoIterator<Item = T>) -> Self {
        let mut items: Vec<_> = items.into_iter().collect();
        items.reverse();
        Self(std::sync::Mutex::new(items))
    }

    pub fn next(&self) -> T {
        let mut items = self.0.lock().unwrap();
        let last = items.last().unwrap().clone();
        if items.len() > 1 {
            items.pop();
        }
        last
    }
}
