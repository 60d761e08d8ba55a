//! Cancellation tokens in handlers that can't be dropped.

use mcp_runtime::prelude::*;
use mcp_runtime::server::CancellationToken;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::{Wire, stateless};

struct Stubborn {
    events: UnboundedSender<&'static str>,
}

impl Stubborn {
    fn say(&self, event: &'static str) {
        self.events.send(event).unwrap();
    }
}

#[mcp_server(undocumented = "allow")]
impl Stubborn {
    /// Blocks until the call is cancelled.
    #[tool(blocking)]
    fn work(&self, token: &CancellationToken) {
        self.say("working");
        Handle::current().block_on(token.cancelled());
        assert!(token.is_cancelled());
        self.say("told");
    }

    #[tool(blocking, timeout = "1ms")]
    fn hurried(&self, token: &CancellationToken) {
        Handle::current().block_on(token.cancelled());
        self.say("told");
    }

    /// Spawns a task that outlives the call.
    #[tool]
    async fn spawning(&self, cx: &Context) {
        let token = cx.cancellation().clone();
        let events = self.events.clone();
        assert!(!token.is_cancelled());
        tokio::spawn(async move {
            token.cancelled().await;
            events.send("told").unwrap();
        });
        tokio::task::yield_now().await;
        assert!(!cx.cancellation().is_cancelled());
    }

    /// Returns without ever waiting.
    #[tool]
    fn instant(&self, token: &CancellationToken) {
        let token = token.clone();
        let events = self.events.clone();
        assert!(!token.is_cancelled());
        tokio::spawn(async move {
            token.cancelled().await;
            events.send("told").unwrap();
        });
    }
}

async fn begin(tool: &str) -> (Wire, UnboundedReceiver<&'static str>) {
    let (events, received) = unbounded_channel();
    let mut wire = Wire::to(&Stubborn { events }.into_server()).await;
    wire.send(stateless(1, "tools/call", json!({"name": tool})))
        .await;
    (wire, received)
}

#[tokio::test]
async fn a_blocking_tool_sees_that_its_call_was_cancelled() {
    let (mut wire, mut events) = begin("work").await;
    assert_eq!(events.recv().await, Some("working"));
    wire.lives_on().await;
    assert!(events.try_recv().is_err());
    wire.send(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}}),
    )
    .await;
    assert_eq!(events.recv().await, Some("told"));
    wire.lives_on().await;
}

#[tokio::test]
async fn a_blocking_tool_sees_that_its_connection_was_lost() {
    let (wire, mut events) = begin("work").await;
    assert_eq!(events.recv().await, Some("working"));
    wire.serving.abort();
    assert_eq!(events.recv().await, Some("told"));
}

#[tokio::test]
async fn a_blocking_tool_sees_that_its_time_is_up() {
    let (mut wire, mut events) = begin("hurried").await;
    assert_eq!(wire.answer().await["result"]["isError"], true);
    assert_eq!(events.recv().await, Some("told"));
}

#[tokio::test]
async fn what_a_call_leaves_behind_sees_that_it_was_answered() {
    for tool in ["spawning", "instant"] {
        let (mut wire, mut events) = begin(tool).await;
        assert_eq!(wire.answer().await["id"], 1);
        assert_eq!(events.recv().await, Some("told"));
    }
}
