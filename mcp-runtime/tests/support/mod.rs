//! Peers, servers and clocks that the test programs share.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

#[cfg(feature = "client")]
pub mod client;
pub mod clock;
pub mod faults;
pub mod lines;
pub mod listening;
pub mod log;
#[cfg(feature = "http-server")]
pub mod mounted;
pub mod over;
#[cfg(feature = "client")]
pub mod scripted;
pub mod wrong_values;

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use mcp_runtime::server::{Reply, tools::ToolEntry};
use mcp_runtime::transport::memory::Memory;
use mcp_runtime::types::{CallToolResult, ContentBlock, TextContent, Tool};
use mcp_runtime::{ProtocolError, Revision, Revisions, ServeError, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use lines::Lines;
use over::{InMemory, Line, Over};

/// A connection in memory.
pub type Wire = WireOver<InMemory>;

/// A client that sends lines, and the server that it is connected to.
pub struct WireOver<T> {
    lines: Lines,
    pub serving: JoinHandle<Result<(), ServeError>>,
    over: PhantomData<T>,
}

impl<T: Over> WireOver<T> {
    /// Connects to [`server`].
    pub async fn open() -> Self {
        Self::named("all").await
    }

    /// Connects to the server with the given [name](named).
    pub async fn named(name: &str) -> Self {
        Self::shared(name, &named(name)).await
    }

    /// Connects to `server`. If the server must run in another process, connects to the server with
    /// this name there.
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
        Self {
            lines: Lines::open(ours).await,
            serving,
            over: PhantomData,
        }
    }

    /// Connects and completes the handshake.
    pub async fn operating(revision: &str) -> Self {
        let mut wire = Self::open().await;
        wire.handshake(revision).await;
        wire
    }

    pub async fn handshake(&mut self, revision: &str) -> Value {
        let answer = self.ask(initialize(revision)).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        // A request may overtake the notification.
        if !T::KEEPS_ORDER {
            while !self.is_operating().await {}
        }
        answer
    }

    async fn is_operating(&mut self) -> bool {
        let list = self.ask(request("ready", "tools/list", json!({}))).await;
        list["error"]["code"] != -32600
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

    /// Checks that the connection serves the next valid request.
    pub async fn lives_on(&mut self) {
        let answer = self.ask(stateless(9999, "tools/list", json!({}))).await;
        assert_eq!(answer["id"], 9999, "{answer}");
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }

    /// Closes the direction to the server, and waits for the server to end.
    pub async fn close(mut self) -> Result<(), ServeError> {
        self.finish().await;
        while self.next().await.is_some() {}
        self.serving.await.unwrap()
    }

    /// Closes the direction to the server, and returns all remaining messages.
    pub async fn drain(mut self) -> Vec<Value> {
        self.finish().await;
        let mut rest = Vec::new();
        while let Some(message) = self.next().await {
            rest.push(message);
        }
        self.serving.await.unwrap().unwrap();
        rest
    }
}

impl<T> Deref for WireOver<T> {
    type Target = Lines;

    fn deref(&self) -> &Lines {
        &self.lines
    }
}

impl<T> DerefMut for WireOver<T> {
    fn deref_mut(&mut self) -> &mut Lines {
        &mut self.lines
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

/// Returns the answers in both eras, which differ only in what each era adds.
pub async fn ask_in_both_eras(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let mut wire = Wire::to(server).await;
    wire.handshake("2025-11-25").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

pub fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// Creates a server by its name, so that another process can create the same: `old` supports only
/// old clients.
pub fn named(name: &str) -> Server {
    let mut builder = builder();
    if name == "old" {
        builder.revisions(Revisions::ALL.up_to(Revision::V2025_03_26));
    }
    builder.build()
}

/// Creates a server with a tool for each behavior that the tests need.
pub fn server() -> Server {
    builder().build()
}

pub fn builder() -> ServerBuilder {
    let mut server = Server::builder();
    server
        .name("fixture")
        .version("1.2.3")
        .instructions("Only for tests.");
    server.tool(tool("echo", |arguments| Reply::Ready(Ok(text(arguments)))));
    server.tool(tool("soon", |arguments| {
        Reply::Pending(Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(text(arguments))
        }))
    }));
    server.tool(tool("never", |_| {
        Reply::Pending(Box::pin(std::future::pending()))
    }));
    server.tool(tool("refuse", |_| {
        Reply::Ready(Err(
            ProtocolError::new(-32050, "no").with_data(json!({"why": 1}))
        ))
    }));
    server.tool(tool("panic", |_| panic!("secret")));
    server.tool(tool("panic_later", |_| {
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
) -> ToolEntry {
    let tool = Tool::new(name, json!({"type": "object"}));
    ToolEntry::new(tool, move |call| {
        handler(call.arguments.map_or("{}", |raw| raw.get()).to_owned())
    })
}

pub fn text(text: String) -> CallToolResult {
    CallToolResult::new([ContentBlock::Text(TextContent::new(text))])
}
