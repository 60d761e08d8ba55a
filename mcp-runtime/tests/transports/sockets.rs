//! Servers on sockets: many clients at the same time, and cleaning up.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::server::{Endpoint, Reply, Serve, ShutdownHandle, tools::ToolEntry};
use mcp_runtime::transport::socket::{PeerCredentials, Unix, tcp_client, unix_client};
use mcp_runtime::transport::{TcpAddress, tcp, unix};
use mcp_runtime::types::Tool;
use mcp_runtime::{CallError, Client, ConnectError, ServeError, Server};
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

use crate::support::clock::{in_time, until};
use crate::support::{self, builder, text};

/// Creates a server that counts the calls of all its clients and reports who they are.
fn counting() -> Server {
    let count = Arc::new(AtomicUsize::new(0));
    let mut server = builder();
    server.tool(support::tool("count", move |_| {
        let before = count.fetch_add(1, Ordering::Relaxed);
        Reply::Ready(Ok(text((before + 1).to_string())))
    }));
    let tool = Tool::new("caller", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let caller = call.context.identity::<PeerCredentials>();
        let process = caller.and_then(|caller| caller.process);
        Reply::Ready(Ok(text(format!("{process:?}"))))
    }));
    server.build()
}

struct Serving {
    shutdown: ShutdownHandle,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Serving {
    async fn at(path: &Path, configure: impl FnOnce(Unix) -> Unix) -> Self {
        let serving = Self::start(counting().serve(configure(unix(path))));
        until("the socket file is there", || path.exists()).await;
        serving
    }

    fn start<E: Endpoint>(serve: Serve<E>) -> Self {
        let serve = serve.signals(false);
        Self {
            shutdown: serve.shutdown_handle(),
            served: tokio::spawn(serve.into_future()),
        }
    }

    async fn end(self) {
        self.shutdown.shut_down();
        self.served.await.unwrap().unwrap();
    }
}

async fn connect(path: &Path) -> Result<Client, ConnectError> {
    let client = Client::builder("test", "1");
    client.connect(unix_client(path)).await
}

async fn count(client: &Client) -> Result<u32, CallError> {
    client.call("count", json!({})).await
}

#[tokio::test]
async fn all_clients_share_one_server() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let serving = Serving::at(&path, |unix| unix).await;
    let mut clients = Vec::new();
    for _ in 0..10 {
        clients.push(connect(&path).await.unwrap());
    }
    for (before, client) in clients.iter().enumerate() {
        assert_eq!(count(client).await.unwrap() as usize, before + 1);
    }
    let own: String = clients[0].call("caller", json!({})).await.unwrap();
    assert_eq!(own, format!("Some({})", std::process::id()));
    serving.end().await;
    assert!(matches!(count(&clients[0]).await, Err(CallError::Closed)));
}

#[tokio::test]
async fn the_file_is_the_owners_alone_and_gone_at_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
    let serving = Serving::at(&path, |unix| unix).await;
    assert_eq!(mode(), 0o600);
    serving.end().await;
    assert!(!path.exists());
    let serving = Serving::at(&path, |unix| unix.mode(0o660)).await;
    assert_eq!(mode(), 0o660);
    serving.end().await;
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_that_was_left_behind_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let serving = Serving::start(counting().serve(unix(&path)));
    let connected = async {
        loop {
            match connect(&path).await {
                Ok(client) => break client,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    let client = in_time(connected).await;
    assert_eq!(count(&client).await.unwrap(), 1);
    serving.end().await;
}

#[tokio::test]
async fn neither_a_living_server_nor_another_file_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let serving = Serving::at(&path, |unix| unix).await;
    let plain = directory.path().join("notes.txt");
    std::fs::write(&plain, "mine").unwrap();
    for taken in [&path, &plain] {
        match counting().serve(unix(taken)).signals(false).await {
            Err(ServeError::Open(error)) => assert_eq!(error.kind(), io::ErrorKind::AddrInUse),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(std::fs::read_to_string(&plain).unwrap(), "mine");
    count(&connect(&path).await.unwrap()).await.unwrap();
    serving.end().await;
}

#[tokio::test]
async fn a_file_of_somebody_else_is_left_alone_at_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let serving = Serving::at(&path, |unix| unix).await;
    std::fs::remove_file(&path).unwrap();
    let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
    serving.end().await;
    assert!(path.exists());
}

#[tokio::test]
async fn one_client_too_many_waits_for_its_turn() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let serving = Serving::at(&path, |unix| unix.max_connections(1)).await;
    let first = connect(&path).await.unwrap();
    let waiting = tokio::spawn({
        let path = path.clone();
        async move { connect(&path).await }
    });
    for _ in 0..3 {
        count(&first).await.unwrap();
    }
    assert!(!waiting.is_finished());
    first.close().await;
    let second = waiting.await.unwrap().unwrap();
    assert_eq!(count(&second).await.unwrap(), 4);
    serving.end().await;
}

#[tokio::test]
async fn the_end_waits_for_the_calls_of_all_clients() {
    let started = Arc::new(Notify::new());
    let release = Arc::new(Semaphore::new(0));
    let mut server = builder();
    let begun = Arc::clone(&started);
    let waiting = Arc::clone(&release);
    server.tool(support::tool("wait", move |_| {
        let waiting = Arc::clone(&waiting);
        begun.notify_one();
        Reply::Pending(Box::pin(async move {
            waiting.acquire().await.unwrap().forget();
            Ok(text("done".into()))
        }))
    }));
    let endpoint = tcp("127.0.0.1:0").bind().await.unwrap();
    let address = endpoint.local_addr().unwrap();
    let serving = Serving::start(server.build().serve(endpoint));
    let mut calls = Vec::new();
    for _ in 0..3 {
        let client = Client::builder("test", "1");
        let client = client.connect(tcp_client(address)).await.unwrap();
        calls.push(tokio::spawn(async move {
            client.call::<String>("wait", json!({})).await
        }));
        started.notified().await;
    }
    serving.shutdown.shut_down();
    // Wait until new clients are no longer accepted.
    while Client::builder("test", "1")
        .connect(tcp_client(address))
        .await
        .is_ok()
    {}
    assert!(!calls.iter().any(JoinHandle::is_finished));
    release.add_permits(calls.len());
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), "done");
    }
    serving.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_address_is_known_once_it_is_listened_at() {
    assert!(tcp("127.0.0.1:0").local_addr().is_err());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = tcp(TcpAddress::from(listener));
    assert_eq!(endpoint.local_addr().unwrap(), address);
    match counting().serve(tcp(address)).signals(false).await {
        Err(ServeError::Open(error)) => {
            assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
            assert!(error.to_string().contains(&address.to_string()), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the address that a hook gets when the server listens at `endpoint`.
#[cfg(all(
    feature = "http-client",
    feature = "http-server",
    feature = "websocket"
))]
async fn place<E: Endpoint>(endpoint: E) -> (String, Serving) {
    let (sender, mut places) = tokio::sync::mpsc::unbounded_channel();
    let mut server = builder();
    server.on_listening(move |place| sender.send(place.to_owned()).unwrap());
    let serving = Serving::start(server.build().serve(endpoint));
    (places.recv().await.unwrap(), serving)
}

#[cfg(all(
    feature = "http-client",
    feature = "http-server",
    feature = "websocket"
))]
#[tokio::test]
async fn a_hook_gets_the_place_that_clients_connect_to() {
    use mcp_runtime::transport::websocket::{websocket, websocket_server};
    use mcp_runtime::transport::{http, http_client};

    let client = || Client::builder("test", "1");
    let (url, serving) = place(http("127.0.0.1:0").path("/tools")).await;
    assert!(url.ends_with("/tools"), "{url}");
    client().connect(http_client(&url)).await.unwrap();
    serving.end().await;

    let (url, serving) = place(websocket_server("127.0.0.1:0")).await;
    client().connect(websocket(&url)).await.unwrap();
    serving.end().await;

    let (url, serving) = place(tcp("127.0.0.1:0")).await;
    let address = url.strip_prefix("tcp://").unwrap();
    client().connect(tcp_client(address)).await.unwrap();
    serving.end().await;

    let directory = tempfile::tempdir().unwrap();
    let (url, serving) = place(unix(directory.path().join("server.sock"))).await;
    let path = url.strip_prefix("unix:").unwrap();
    client().connect(unix_client(path)).await.unwrap();
    serving.end().await;
}

#[tokio::test]
async fn a_client_that_finds_nobody_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let missing = connect(&directory.path().join("none.sock")).await;
    match missing {
        Err(ConnectError::Open(error)) => {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert!(error.to_string().contains("none.sock"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn lines_too_long_are_skipped_and_last_ones_need_no_line_break() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    const LIMIT: usize = 24 * 1024 * 1024;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("server.sock");
    let serving = Serving::at(&path, |unix| unix).await;
    let mut stream = UnixStream::connect(&path).await.unwrap();
    let head = r#"{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":""#;
    let long = format!("{head}{}\"}}}}\n", "x".repeat(LIMIT));
    stream.write_all(long.as_bytes()).await.unwrap();
    let last = r#"{"jsonrpc":"2.0","id":10,"method":"ping"}"#;
    stream.write_all(last.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).await.unwrap();
    let (refused, served) = answers.split_once('\n').unwrap();
    let refused: serde_json::Value = serde_json::from_str(refused).unwrap();
    assert_eq!(refused["id"], 9, "{answers}");
    assert_eq!(refused["error"]["code"], -32600, "{answers}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("24 MiB"), "{message}");
    assert_eq!(served, "{\"jsonrpc\":\"2.0\",\"id\":10,\"result\":{}}\n");
    serving.end().await;
}
