//! Layers around a server's requests.

mod entries;
mod faults;
mod mounts;
mod passing;
mod states;

use std::sync::{Arc, Mutex};

use mcp_runtime::layer::{McpRequest, Next, RequestLayer, from_fn};
use serde_json::{Value, json};

use crate::support::{Wire, call, stateless};

/// The actions of layers and handlers, in order.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<String>>>);

impl Record {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Returns a layer that records each request and its outcome under `name`.
fn recording(record: &Record, name: &'static str) -> impl RequestLayer + use<> {
    let record = record.clone();
    from_fn(move |request: McpRequest, next: Next| {
        let record = record.clone();
        let target = request.target().map(std::borrow::Cow::into_owned);
        let method = request.method().to_owned();
        let retry = if request.is_retry() { " again" } else { "" };
        let about = format!("{name} {method} {}{retry}", target.unwrap_or_default());
        async move {
            record.note(&about);
            let outcome = next.run(request).await;
            let kind = match &outcome {
                Ok(response) if response.is_input_required() => "asks",
                Ok(response) if response.is_error() => "failed",
                Ok(response) if response.json()?.is_none() => "accepted",
                Ok(_) => "answered",
                Err(_) => "refused",
            };
            record.note(format!("{about}: {kind}"));
            outcome
        }
    })
}

/// Returns the answers to a tool call in both eras.
async fn both(server: &mcp_runtime::Server, tool: &str, arguments: Value) -> [Value; 2] {
    let mut old = Wire::to(server).await;
    old.handshake("2025-06-18").await;
    let mut new = Wire::to(server).await;
    [
        old.ask(call(1, tool, arguments.clone())).await,
        new.ask(stateless(
            1,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        ))
        .await,
    ]
}
