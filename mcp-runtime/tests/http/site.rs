//! A server on a free port, and a client that sends exactly the requests of a test.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{Reply, Serve, ShutdownHandle};
use mcp_runtime::transport::http::{Http, HttpOptions, http, http_service};
use mcp_runtime::types::{ProgressNotification, ProgressNotificationParams, Tool};
use mcp_runtime::{ServeError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::support;

/// A server under test.
pub struct Site {
    pub addr: SocketAddr,
    pub serving: JoinHandle<Result<(), ServeError>>,
    pub shutdown: Shutdown,
    pub events: mpsc::UnboundedReceiver<&'static str>,
}

/// Shuts a site down.
pub struct Shutdown(Box<dyn Fn() + Send + Sync>);

impl Shutdown {
    pub fn of(handle: ShutdownHandle) -> Self {
        Self(Box::new(move || handle.shut_down()))
    }

    pub fn shut_down(&self) {
        (self.0)();
    }
}

/// An answer as it was received.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: http::HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub fn error_code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the messages of a stream of events.
    pub fn messages(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        let lines = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        lines
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

impl Site {
    pub async fn open() -> Self {
        Self::with(HttpOptions::default()).await
    }

    pub async fn with(options: HttpOptions) -> Self {
        let (server, events) = server();
        Self::plain(&server, events, options)
    }

    pub async fn serve(configure: impl FnOnce(Http) -> Http) -> Self {
        let (server, events) = server();
        Self::serving(&server, events, configure, |serve| serve)
    }

    /// Creates a site whose calls in flight may continue for `drain` after shutdown begins.
    pub async fn draining(drain: Duration, configure: impl FnOnce(Http) -> Http) -> Self {
        let (server, events) = server();
        Self::serving(&server, events, configure, |serve| {
            serve.drain_timeout(drain)
        })
    }

    /// Creates a site for another server.
    pub fn of(server: &Server) -> Self {
        Self::of_with(server, HttpOptions::default())
    }

    /// Creates a site for another server, with options.
    pub fn of_with(server: &Server, options: HttpOptions) -> Self {
        let (_, events) = mpsc::unbounded_channel();
        Self::plain(server, events, options)
    }

    /// Creates a site that does not depend on its listener. In the program `mounted`, the listener
    /// belongs to another program.
    fn plain(
        server: &Server,
        events: mpsc::UnboundedReceiver<&'static str>,
        options: HttpOptions,
    ) -> Self {
        if crate::MOUNTED {
            Self::mounted(server, events, options)
        } else {
            Self::serving(server, events, |http| http.options(options), |serve| serve)
        }
    }

    fn mounted(
        server: &Server,
        events: mpsc::UnboundedReceiver<&'static str>,
        options: HttpOptions,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let addr = listener.local_addr().unwrap();
        let service = http_service(server, options);
        let end = Arc::new(Notify::new());
        let ends = Arc::clone(&end);
        let serving = tokio::spawn(async move {
            let guard = service.start().await?;
            let router = axum::Router::new().route_service("/mcp", service);
            let listener = TcpListener::from_std(listener).unwrap();
            let (ended, outcome) = oneshot::channel();
            let shutdown = async move {
                ends.notified().await;
                ended.send(guard.shut_down().await).unwrap();
            };
            let served = axum::serve(listener, router).with_graceful_shutdown(shutdown);
            served.await.unwrap();
            outcome.await.unwrap()
        });
        Self {
            addr,
            shutdown: Shutdown(Box::new(move || end.notify_one())),
            serving,
            events,
        }
    }

    /// Creates a site for another server, whose endpoint `configure` sets up.
    #[allow(dead_code)]
    pub fn of_http(server: &Server, configure: impl FnOnce(Http) -> Http) -> Self {
        let (_, events) = mpsc::unbounded_channel();
        Self::serving(server, events, configure, |serve| serve)
    }

    fn serving(
        server: &Server,
        events: mpsc::UnboundedReceiver<&'static str>,
        configure: impl FnOnce(Http) -> Http,
        limit: impl FnOnce(Serve<Http>) -> Serve<Http>,
    ) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let serve = server.serve(configure(http(listener)));
        let serve = limit(serve.signals(false));
        Self {
            addr,
            shutdown: Shutdown::of(serve.shutdown_handle()),
            serving: tokio::spawn(serve.into_future()),
            events,
        }
    }

    pub async fn connect(&self) -> SendRequest<String> {
        let stream = TcpStream::connect(self.addr).await.unwrap();
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        sender
    }

    pub fn request(&self, method: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", self.addr.to_string())
            .header("accept", "application/json, text/event-stream")
    }

    pub async fn send(&self, request: Request<String>) -> Answer {
        let response = self.connect().await.send_request(request).await.unwrap();
        read(response).await
    }

    /// Sends bytes verbatim, and returns everything received until the connection is closed.
    pub async fn raw(&self, bytes: &str) -> String {
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    pub async fn start(&self, request: Request<String>) -> Response<Incoming> {
        self.connect().await.send_request(request).await.unwrap()
    }

    /// Returns a POST request with the headers that a stateless message needs.
    pub fn stateless(&self, message: &Value) -> Request<String> {
        let params = &message["params"];
        let mut request = self
            .request("POST")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", message["method"].as_str().unwrap());
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
        request.body(message.to_string()).unwrap()
    }

    pub async fn ask(&self, message: &Value) -> Answer {
        self.send(self.stateless(message)).await
    }

    /// Checks that the server still serves a valid request.
    pub async fn lives_on(&self) {
        let answer = self
            .ask(&support::stateless(99, "tools/list", json!({})))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.json()["result"]["tools"].is_array(), "{answer:?}");
    }

    /// Opens a session and completes its handshake.
    pub async fn session(&self, revision: &str) -> Session<'_> {
        self.session_of(&support::initialize(revision), revision)
            .await
    }

    /// Opens a session with the given `initialize` request.
    pub async fn session_of(&self, hello: &Value, revision: &str) -> Session<'_> {
        let request = self
            .request("POST")
            .header("content-type", "application/json")
            .body(hello.to_string())
            .unwrap();
        let answer = self.send(request).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = Session {
            site: self,
            id: answer.header("mcp-session-id").unwrap().to_owned(),
            revision: revision.to_owned(),
        };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.ask(&initialized).await.status, 202);
        session
    }
}

/// A session of the handshake era.
pub struct Session<'a> {
    pub site: &'a Site,
    pub id: String,
    pub revision: String,
}

impl Session<'_> {
    pub fn request(&self, method: &str) -> http::request::Builder {
        self.site
            .request(method)
            .header("mcp-session-id", &self.id)
            .header("mcp-protocol-version", &self.revision)
    }

    pub fn post(&self, message: &Value) -> Request<String> {
        let request = self
            .request("POST")
            .header("content-type", "application/json");
        request.body(message.to_string()).unwrap()
    }

    pub async fn ask(&self, message: &Value) -> Answer {
        self.site.send(self.post(message)).await
    }

    pub async fn start(&self, message: &Value) -> Response<Incoming> {
        self.site.start(self.post(message)).await
    }

    pub async fn listen(&self, last_event_id: Option<&str>) -> Response<Incoming> {
        let mut request = self.request("GET");
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        self.site.start(request.body(String::new()).unwrap()).await
    }
}

pub async fn read(mut response: Response<Incoming>) -> Answer {
    let mut body = String::new();
    while let Some(chunk) = chunk(&mut response).await {
        body.push_str(&chunk);
    }
    let (parts, _) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body,
    }
}

/// Returns the next piece of a body.
pub async fn chunk(response: &mut Response<Incoming>) -> Option<String> {
    let frame = poll_fn(|cx| Pin::new(response.body_mut()).poll_frame(cx)).await?;
    let data = frame.ok()?.into_data().ok()?;
    Some(String::from_utf8(data.to_vec()).unwrap())
}

/// Reads until `text` has arrived.
pub async fn read_until(response: &mut Response<Incoming>, text: &str) -> String {
    let mut read = String::new();
    while !read.contains(text) {
        let chunk = chunk(response).await;
        read.push_str(&chunk.unwrap_or_else(|| panic!("`{text}` is not in: {read}")));
    }
    read
}

/// Returns the server of the other tests, with additional tools that depend on HTTP.
pub fn server() -> (Server, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, events) = mpsc::unbounded_channel();
    let mut server = support::builder();
    server.tool(tool("tell", |peer| {
        tell(peer);
        Reply::Ready(Ok(support::text("told".to_owned())))
    }));
    let started = sender.clone();
    server.tool(tool("silent", move |_| {
        let started = started.clone();
        let dropped = Dropped(started.clone());
        Reply::Pending(Box::pin(async move {
            started.send("started").unwrap();
            std::future::pending::<()>().await;
            drop(dropped);
            Ok(support::text(String::new()))
        }))
    }));
    server.tool(tool("tell_and_wait", move |peer| {
        let peer = peer.clone();
        let dropped = Dropped(sender.clone());
        Reply::Pending(Box::pin(async move {
            tell(&peer);
            std::future::pending::<()>().await;
            drop(dropped);
            Ok(support::text(String::new()))
        }))
    }));
    let region = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
    }});
    server.tool(ToolEntry::new(Tool::new("region", region), |_| {
        Reply::Ready(Ok(support::text("there".to_owned())))
    }));
    crate::streams::add_tools(&mut server);
    crate::changes::add(&mut server);
    crate::telling::add(&mut server);
    (server.build(), events)
}

pub fn tool(
    name: &str,
    handler: impl Fn(&mcp_runtime::Peer) -> Reply<mcp_runtime::types::CallToolResult>
    + Send
    + Sync
    + 'static,
) -> ToolEntry {
    let tool = Tool::new(name, json!({"type": "object"}));
    ToolEntry::new(tool, move |call| handler(call.context.peer()))
}

pub fn tell(peer: &mcp_runtime::Peer) {
    let progress = ProgressNotificationParams::new("t", 1.0);
    peer.notify::<ProgressNotification>(Some(&progress))
        .unwrap();
}

/// Tells the test that a handler was dropped.
struct Dropped(mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}
