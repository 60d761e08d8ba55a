//! A gateway: what comes in as lines goes on over a WebSocket, and comes back as lines.

use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::websocket::{websocket, websocket_server};
use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use mcp_runtime::{ServeError, Server};
use tokio::task::JoinHandle;

pub fn serve(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let serve = server.serve(websocket_server(listener)).without_signals();
    let shutdown = serve.shutdown_handle();
    let serving = tokio::spawn(serve.into_future());
    tokio::spawn(async move {
        let (from_test, to_test) = line.open().await.unwrap();
        let socket = websocket(format!("ws://{addr}/")).open().await.unwrap();
        let forth = tokio::spawn(pump(from_test, socket.1));
        pump(socket.0, to_test).await;
        forth.abort();
        shutdown.shut_down();
        serving.await.unwrap()
    })
}

async fn pump(mut from: impl FrameReader, mut to: impl FrameWriter) {
    let mut outbox = Outbox::new();
    let mut open = true;
    while open {
        open = from.fill().await.unwrap();
        while let Some(Incoming::Frame(frame)) = from.next_frame() {
            let Ok(()) = outbox.push(|out| {
                out.extend_from_slice(frame);
                Ok::<_, std::convert::Infallible>(())
            });
        }
        while !outbox.is_empty() {
            // A test that has seen enough does not read on.
            if to.write(&mut outbox).await.is_err() {
                return;
            }
        }
    }
    let _ = to.close().await;
}
