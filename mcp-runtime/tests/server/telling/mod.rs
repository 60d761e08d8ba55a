//! Progress and log messages of handlers.

mod logging;
mod progress;

use mcp_runtime::BoxFuture;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::{ToolCall, ToolEntry};
use mcp_runtime::types::Tool;
use mcp_runtime::{Context, Server};
use serde_json::{Value, json};

use crate::support::{self, Wire, call, request, stateless};

/// A client of one of the eras.
pub struct Caller {
    wire: Wire,
    stateless: bool,
}

impl Caller {
    /// Connects a client in each era.
    pub async fn both(server: &Server) -> [Self; 2] {
        [
            Self::handshake(server, "2025-11-25").await,
            Self {
                wire: Wire::to(server).await,
                stateless: true,
            },
        ]
    }

    pub async fn handshake(server: &Server, revision: &str) -> Self {
        let mut wire = Wire::to(server).await;
        wire.handshake(revision).await;
        Self {
            wire,
            stateless: false,
        }
    }

    /// Calls a tool without waiting for the answer.
    pub async fn start(&mut self, tool: &str, meta: Value) {
        let mut message = if self.stateless {
            stateless(1, "tools/call", json!({"name": tool}))
        } else {
            call(1, tool, json!({}))
        };
        let members = meta.as_object().unwrap().clone();
        match message["params"]["_meta"].as_object_mut() {
            Some(present) => present.extend(members),
            None => message["params"]["_meta"] = meta,
        }
        self.wire.send(message).await;
    }

    /// Calls a tool, and returns the notifications that precede the answer, and the answer.
    pub async fn call(&mut self, tool: &str, meta: Value) -> (Vec<Value>, Value) {
        self.start(tool, meta).await;
        let mut told = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == 1 {
                return (told, message);
            }
            told.push(message);
        }
    }

    pub async fn next(&mut self) -> Value {
        self.wire.answer().await
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.wire.ask(request(2, method, params)).await
    }
}

/// Returns a tool that finishes immediately.
pub fn at_once(name: &str, handler: impl Fn(&Context) + Send + Sync + 'static) -> ToolEntry {
    ToolEntry::new(Tool::new(name, json!({"type": "object"})), move |call| {
        handler(call.context);
        Reply::Ready(Ok(support::text("done".to_owned())))
    })
}

/// Returns a tool that finishes later.
pub fn later(
    name: &str,
    handler: impl Fn(Context) -> BoxFuture<()> + Send + Sync + 'static,
) -> ToolEntry {
    let tool = Tool::new(name, json!({"type": "object"}));
    ToolEntry::new(tool, move |call: ToolCall<'_>| {
        let work = handler(call.context.clone());
        Reply::Pending(Box::pin(async move {
            work.await;
            Ok(support::text("done".to_owned()))
        }))
    })
}
