//! The log of HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_runtime::server::ShutdownHandle;
use mcp_runtime::store::{KeyValue as _, MemoryKeyValue, PutMode};
use mcp_runtime::transport::http::{HttpOptions, SessionId, http};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::transport::{Transport, memory};
use mcp_runtime::{Client, Era, ServeError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tracing::Level;

use crate::support::clock::{Clock, until};
use crate::support::log::Log;
use crate::support::{initialize, server, stateless};

struct Site {
    addr: SocketAddr,
    shutdown: ShutdownHandle,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl Site {
    fn open() -> Self {
        Self::with(HttpOptions::default())
    }

    fn with(options: HttpOptions) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let serve = server().serve(http(listener).options(options));
        let serve = serve.signals(false);
        Self {
            addr,
            shutdown: serve.shutdown_handle(),
            serving: tokio::spawn(serve.into_future()),
        }
    }

    /// Sends a request on its own connection, and returns the response without the HTTP version.
    async fn send(&self, method: &str, headers: &str, message: &Value) -> String {
        let addr = self.addr;
        let body = message.to_string();
        let length = body.len();
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\
             accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
             {headers}content-length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(addr).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.strip_prefix("HTTP/1.1 ").unwrap().to_owned()
    }

    /// Opens a session, and returns the headers of its requests.
    async fn session(&self) -> String {
        let answer = self.send("POST", "", &initialize("2025-11-25")).await;
        let mut lines = answer.lines();
        let id = lines.find_map(|line| line.strip_prefix("mcp-session-id: "));
        let headers = format!(
            "mcp-session-id: {}\r\nmcp-protocol-version: 2025-11-25\r\n",
            id.unwrap()
        );
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = self.send("POST", &headers, &initialized).await;
        assert!(answer.starts_with("202"), "{answer}");
        headers
    }
}

#[tokio::test]
async fn requests_sessions_and_connections_are_counted() {
    let (log, guard) = Log::listening(Level::DEBUG);
    let site = Site::open();
    let session = site.session().await;
    let answer = site.send("DELETE", &session, &Value::Null).await;
    assert!(answer.starts_with("204"), "{answer}");
    let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: nothing/such\r\n";
    let message = stateless(1, "nothing/such", json!({}));
    let answer = site.send("POST", headers, &message).await;
    assert!(answer.starts_with("404"), "{answer}");
    site.shutdown.shut_down();
    site.serving.await.unwrap().unwrap();
    drop(guard);

    let log = log.text();
    let lines = |part: &str| log.lines().filter(|line| line.contains(part)).count();
    assert_eq!(
        lines("mcp_runtime::http: monotonic_counter.http_requests=1"),
        4
    );
    assert_eq!(lines("http_requests=1 status=404"), 1, "{log}");
    assert_eq!(lines("counter.http_sessions=1"), 1, "{log}");
    assert_eq!(lines("counter.http_sessions=-1"), 1, "{log}");
    assert_eq!(lines("counter.http_connections=1"), 4, "{log}");
    assert_eq!(lines("counter.http_connections=-1"), 4, "{log}");
}

#[tokio::test]
async fn a_connection_that_is_refused_is_tried_again() {
    let (log, _guard) = Log::listening(Level::DEBUG);
    let addr = Site::open().addr;
    let clock = Clock::stopped();
    // The socket keeps the address reserved, and nothing listens there.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let connecting =
        tokio::spawn(Client::builder("test", "1").connect(http_client(url).retries(8)));
    let is_logged = || log.text().contains("the request will be sent again");
    until("the retry is logged", is_logged).await;
    assert!(!connecting.is_finished());
    let listener = socket.listen(1).unwrap();
    let (mut from, _) = clock
        .run_until(Duration::from_millis(10), listener.accept())
        .await
        .unwrap();
    let mut to = TcpStream::connect(addr).await.unwrap();
    tokio::spawn(async move { tokio::io::copy_bidirectional(&mut from, &mut to).await });
    assert!(connecting.await.unwrap().is_ok());
}

/// Starts a server that refuses every request, except that it offers HTTP+SSE with a secret
/// endpoint or redirects clients.
async fn old_or_gone() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let answer = if head.contains("/old-") && head.starts_with("GET") {
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n\
                 event: endpoint\ndata: /messages/secret?session=secret\n\n"
            } else if head.contains("/moved-") {
                "HTTP/1.1 307 Moved\r\nconnection: close\r\ncontent-length: 0\r\n\
                 location: http://ann:secret@elsewhere.invalid/mcp?key=secret\r\n\r\n"
            } else if head.contains("/busy-") {
                "HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            } else {
                "HTTP/1.1 405 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    addr
}

#[tokio::test]
async fn urls_are_not_logged_beyond_their_origin() {
    let (log, _guard) = Log::listening(Level::TRACE);
    let addr = old_or_gone().await;
    for path in ["old", "moved", "busy"] {
        let url = format!("http://ann:secret@{addr}/{path}-secret?key=secret");
        let server = http_client(url).header("x-key", "secret").retries(1);
        let connected = Client::builder("test", "1").connect(server).await;
        assert!(connected.is_err());
    }
    let log = log.text();
    for part in ["HTTP+SSE", "a redirect", "will be sent again"] {
        assert!(log.contains(part), "{part} in {log}");
    }
    assert!(log.contains(&addr.to_string()), "{log}");
    assert!(!log.contains("secret"), "{log}");
}

#[tokio::test]
async fn a_record_of_a_session_that_can_not_be_used_is_logged() {
    let (log, _guard) = Log::listening(Level::ERROR);
    let initialize = &initialize("1.0.0")["params"];
    let refused = json!({"format": 1, "initialize": initialize, "state": {}}).to_string();
    for (record, reason) in [
        ("", "EOF"),
        ("\u{0}", "expected value"),
        ("{}", "missing"),
        (&*refused, "Unsupported protocol version"),
    ] {
        let before = log.text().len();
        let store = MemoryKeyValue::new();
        let id = SessionId::new(7 << 96);
        let hour = Duration::from_secs(3600);
        let value = record.to_owned().into();
        let put = store.put(&format!("session:{id}"), value, hour, PutMode::Create);
        put.await.unwrap();
        let site = Site::with(HttpOptions::default().store(store));
        let headers = format!("mcp-session-id: {id}\r\nmcp-protocol-version: 2025-11-25\r\n");
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let answer = site.send("POST", &headers, &message).await;
        assert!(answer.starts_with("404"), "{answer}");
        let text = log.text();
        let told = &text[before..];
        assert!(told.contains("00000007"), "{record}: {told}");
        assert!(told.contains(reason), "{record}: {told}");
        assert!(!told.contains(&id.to_string()), "{told}");
        // The client can open another session.
        site.session().await;
    }
}

#[tokio::test]
async fn the_start_and_a_host_that_is_refused_are_logged_once() {
    let (log, _guard) = Log::listening(Level::INFO);
    let site = Site::open();
    let request = |host: &str, origin: &str| {
        format!("GET /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{origin}\r\n")
    };
    let page = "origin: https://page.example.com\r\n";
    for (host, origin, hint) in [
        ("mcp.example.com", "", "`allowed_hosts`"),
        ("mcp.example.com", "", "`allowed_hosts`"),
        ("localhost", page, "`allowed_origins`"),
        ("localhost", page, "`allowed_origins`"),
    ] {
        let mut stream = TcpStream::connect(site.addr).await.unwrap();
        let request = request(host, origin);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 403") && answer.contains(hint),
            "{answer}"
        );
    }
    let text = log.text();
    let place = format!("http://{}/mcp", site.addr);
    assert_eq!(text.matches("the server has started").count(), 1, "{text}");
    assert!(text.lines().next().unwrap().contains(&place), "{text}");
    assert_eq!(text.matches("mcp.example.com").count(), 1, "{text}");
    assert_eq!(text.matches("page.example.com").count(), 1, "{text}");
    site.shutdown.shut_down();
    site.serving.await.unwrap().unwrap();
}

/// Returns the log of a client that connects over the transport that `serve` opens for a server.
async fn connecting<T: Transport>(era: Era, serve: impl FnOnce() -> T) -> Vec<String> {
    let (log, _guard) = Log::listening(Level::INFO);
    let client = Client::builder("test", "1").era(era).connect(serve());
    let client = client.await.unwrap();
    client.list_tools().await.unwrap();
    client.close().await;
    let text = log.text();
    let lines = text.lines().map(str::to_owned);
    lines.filter(|line| !line.contains("has started")).collect()
}

#[tokio::test]
async fn a_client_that_connects_is_one_line_on_each_side() {
    for (era, revision) in [
        (Era::Handshake, "2025-11-25"),
        (Era::Stateless, "2026-07-28"),
    ] {
        let over_http = connecting(era, || {
            let addr = Site::open().addr;
            http_client(format!("http://{addr}/mcp"))
        });
        let over_memory = connecting(era, || {
            let (ours, theirs) = memory::pair();
            tokio::spawn(server().serve(theirs).signals(false).into_future());
            ours
        });
        for lines in [over_http.await, over_memory.await] {
            assert_eq!(lines.len(), 2, "{lines:?}");
            for (line, parts) in lines.iter().zip([
                r#"a client has connected client="test 1""#,
                r#"connected to a server server="fixture "#,
            ]) {
                assert!(line.contains(parts) && line.contains(revision), "{line}");
            }
        }
    }
}
