//! A peer that says exactly what a test wants, and a server to say it to.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

pub mod clock;
pub mod listening;
pub mod log;
pub mod over;

use std::marker::PhantomData;

use mcp_runtime::server::{Reply, tools::ToolRoute};
use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use mcp_runtime::types::{CallToolResult, ContentBlock, TextContent, Tool};
use mcp_runtime::{ProtocolError, Revision, Revisions, ServeError, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use over::{InMemory, Line, Over};

type Reader = <Memory as Transport>::Reader;
type Writer = <Memory as Transport>::Writer;

/// A connection in memory.
pub type Wire = WireOver<InMemory>;

/// The other end of a connection, which speaks in lines.
pub struct WireOver<T> {
    reader: Reader,
    writer: Writer,
    outbox: Outbox,
    pub serving: JoinHandle<Result<(), ServeError>>,
    over: PhantomData<T>,
}

impl<T: Over> WireOver<T> {
    /// Connects to [`server`].
    pub async fn open() -> Self {
        Self::named("all").await
    }

    /// Connects to the server that is [called](named) `name`.
    pub async fn named(name: &str) -> Self {
        Self::shared(name, &named(name)).await
    }

    /// Connects to `server`, or where it has to be in another process, to what is called `name`
    /// there.
    pub async fn shared(name: &str, server: &Server) -> Self {
        Self::on(T::shared(name, server).await).await
    }

    pub async fn to(server: &Server) -> Self {
        Self::on(T::line(server).await).await
    }

    async fn on((ours, serving): Line) -> Self {
        Self::with(ours, serving).await
    }

    pub async fn with(ours: Memory, serving: JoinHandle<Result<(), ServeError>>) -> Self {
        let (reader, writer) = ours.open().await.unwrap();
        Self {
            reader,
            writer,
            outbox: Outbox::new(),
            serving,
            over: PhantomData,
        }
    }

    /// Connects and shakes hands.
    pub async fn operating(revision: &str) -> Self {
        let mut wire = Self::open().await;
        wire.handshake(revision).await;
        wire
    }

    pub async fn handshake(&mut self, revision: &str) -> Value {
        let answer = self.ask(initialize(revision)).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        answer
    }

    pub async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub async fn send_text(&mut self, line: &str) {
        self.send_bytes(line.as_bytes()).await;
    }

    pub async fn send_bytes(&mut self, line: &[u8]) {
        self.push(line);
        write_all(&mut self.writer, &mut self.outbox).await;
    }

    fn push(&mut self, line: &[u8]) {
        self.outbox
            .push(|out| {
                out.extend_from_slice(line);
                Ok::<_, ()>(())
            })
            .unwrap();
    }

    /// The next message, or `None` when the server has closed its side.
    pub async fn next(&mut self) -> Option<Value> {
        next_message(&mut self.reader).await
    }

    /// Sends everything and receives `count` messages, at the same time.
    pub async fn exchange(&mut self, lines: &[String], count: usize) -> Vec<Value> {
        for line in lines {
            self.push(line.as_bytes());
        }
        let receive = async {
            let mut received = Vec::new();
            while received.len() < count {
                received.push(next_message(&mut self.reader).await.unwrap());
            }
            received
        };
        let send = write_all(&mut self.writer, &mut self.outbox);
        tokio::join!(send, receive).1
    }

    pub async fn answer(&mut self) -> Value {
        self.next().await.expect("an answer was expected")
    }

    pub async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.answer().await
    }

    pub async fn ask_text(&mut self, line: &str) -> Value {
        self.send_text(line).await;
        self.answer().await
    }

    /// The connection serves the next good request.
    pub async fn lives_on(&mut self) {
        let answer = self.ask(stateless(9999, "tools/list", json!({}))).await;
        assert_eq!(answer["id"], 9999, "{answer}");
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }

    /// Closes our direction, and waits for the server to end.
    pub async fn close(mut self) -> Result<(), ServeError> {
        self.writer.close().await.unwrap();
        while self.next().await.is_some() {}
        self.serving.await.unwrap()
    }

    /// Closes our direction, and gives back everything that still came.
    pub async fn drain(mut self) -> Vec<Value> {
        self.writer.close().await.unwrap();
        let mut rest = Vec::new();
        while let Some(message) = self.next().await {
            rest.push(message);
        }
        self.serving.await.unwrap().unwrap();
        rest
    }
}

async fn write_all(writer: &mut Writer, outbox: &mut Outbox) {
    while !outbox.is_empty() {
        writer.write(outbox).await.unwrap();
    }
}

async fn next_message(reader: &mut Reader) -> Option<Value> {
    loop {
        match reader.next_frame() {
            Some(Incoming::Frame(frame)) => return Some(serde_json::from_slice(frame).unwrap()),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
        if !reader.fill().await.unwrap() {
            return None;
        }
    }
}

pub fn initialize(revision: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "wire", "version": "1"},
    }})
}

pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub fn stateless(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(id, method, params)
}

pub fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// A server that another process can make as well: with everything, or for old clients.
pub fn named(name: &str) -> Server {
    let mut builder = builder();
    if name == "old" {
        builder.revisions(Revisions::ALL.up_to(Revision::V2025_03_26));
    }
    builder.build()
}

/// A server with a tool for each thing that a test wants to see happen.
pub fn server() -> Server {
    builder().build()
}

pub fn builder() -> ServerBuilder {
    let mut server = Server::builder();
    server
        .name("fixture")
        .version("1.2.3")
        .instructions("Only for tests.");
    server.tool_route(tool("echo", |arguments| Reply::Ready(Ok(text(arguments)))));
    server.tool_route(tool("soon", |arguments| {
        Reply::Pending(Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(text(arguments))
        }))
    }));
    server.tool_route(tool("never", |_| {
        Reply::Pending(Box::pin(std::future::pending()))
    }));
    server.tool_route(tool("refuse", |_| {
        Reply::Ready(Err(
            ProtocolError::new(-32050, "no").with_data(json!({"why": 1}))
        ))
    }));
    server.tool_route(tool("panic", |_| panic!("secret")));
    server.tool_route(tool("panic_later", |_| {
        Reply::Pending(Box::pin(async {
            tokio::task::yield_now().await;
            panic!("secret")
        }))
    }));
    server
}

pub fn tool(
    name: &str,
    handler: impl Fn(String) -> Reply<CallToolResult> + Send + Sync + 'static,
) -> ToolRoute {
    let tool = Tool::new(name, json!({"type": "object"}));
    ToolRoute::new(tool, move |call| {
        handler(call.arguments.map_or("{}", |raw| raw.get()).to_owned())
    })
}

pub fn text(text: String) -> CallToolResult {
    CallToolResult::new([ContentBlock::Text(TextContent::new(text))])
}
