//! Layered calls that end in each of their states leave nothing behind.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::Server;
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::transport::memory;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_service::Service;

use crate::support::{Wire, builder, call, stateless};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// A layer is not ready.
    Unready,
    /// A layer works before it passes the request on.
    Before,
    /// The handler works.
    Handler,
    /// The handler waits for the client's answer to a question.
    Asking,
    /// A layer works on the response.
    After,
    /// The layers work on a subscription.
    Listening,
}

const STATES: [State; 6] = [
    State::Unready,
    State::Before,
    State::Handler,
    State::Asking,
    State::After,
    State::Listening,
];

/// Reports where the call is held, and later that it was dropped.
struct Stays(UnboundedSender<&'static str>);

impl Stays {
    async fn forever(self) {
        let _ = self.0.send("stays");
        std::future::pending::<()>().await;
    }
}

impl Drop for Stays {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

/// A service that is not ready in [`State::Unready`].
#[derive(Clone)]
struct Gate {
    next: Next,
    events: UnboundedSender<&'static str>,
    waiting: Option<Arc<Stays>>,
}

impl Service<McpRequest> for Gate {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = BoxFuture<Result<McpResponse, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if self.waiting.is_none() {
            self.waiting = Some(Arc::new(Stays(self.events.clone())));
            let _ = self.events.send("stays");
        }
        Poll::Pending
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        Box::pin(self.next.clone().run(request))
    }
}

fn server(state: State) -> (Server, UnboundedReceiver<&'static str>) {
    let (events, received) = unbounded_channel();
    let mut server = builder();
    server.list_changed([mcp_runtime::server::List::Tools]);
    let noting = events.clone();
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        let stays = Stays(noting.clone());
        async move {
            let stops = request.method() != "tools/list";
            match state {
                State::Before | State::Listening if stops => stays.forever().await,
                _ => {}
            }
            let response = next.run(request).await?;
            Ok(response)
        }
    }));
    if state == State::Unready {
        let events = events.clone();
        server.layer(tower_layer::layer_fn(move |next: Next| Gate {
            next,
            events: events.clone(),
            waiting: None,
        }));
    }
    let noting = events.clone();
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        let stays = Stays(noting.clone());
        async move {
            let stops = request.method() != "tools/list" && state == State::After;
            let response = next.run(request).await?;
            if stops {
                stays.forever().await;
            }
            Ok(response)
        }
    }));
    let noting = events;
    server.tool(ToolBuilder::new("work").call_async(move |(), cx| {
        let stays = Stays(noting.clone());
        async move {
            match state {
                State::Handler => stays.forever().await,
                State::Asking => {
                    let _ = stays.0.send("stays");
                    let _: bool = cx.elicit("Sure?").await?;
                }
                _ => {}
            }
            Ok::<_, mcp_runtime::AskError>("done")
        }
    }));
    (server.build(), received)
}

/// Returns a client whose call with id 1 is held in `state`.
async fn staying(state: State) -> (Wire, Server, UnboundedReceiver<&'static str>) {
    let (server, mut events) = server(state);
    let (ours, theirs) = memory::pair();
    let serving = server.serve(theirs).signals(false);
    let serving = serving
        .drain_timeout(Duration::from_secs(5))
        .max_in_flight(1);
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    if state == State::Listening {
        let wanted = json!({"notifications": {"toolsListChanged": true}});
        wire.send(stateless(1, "subscriptions/listen", wanted))
            .await;
    } else {
        let mut initialize = crate::support::initialize("2025-06-18");
        initialize["params"]["capabilities"] = json!({"elicitation": {}});
        wire.ask(initialize).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        wire.send(call(1, "work", json!({}))).await;
        if state == State::Asking {
            assert_eq!(wire.answer().await["method"], "elicitation/create");
        }
    }
    while events.recv().await != Some("stays") {}
    (wire, server, events)
}

/// Checks that everything the call held is dropped: the events end once the server is dropped.
async fn nothing_is_left(
    state: State,
    server: Server,
    mut events: UnboundedReceiver<&'static str>,
) {
    drop(server);
    let left = tokio::time::timeout(Duration::from_secs(60), async {
        while events.recv().await.is_some() {}
    });
    assert!(left.await.is_ok(), "{state:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_leaves_its_place_to_the_next() {
    for state in STATES {
        let (mut wire, server, mut events) = staying(state).await;
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": 1}});
        wire.send(cancel).await;
        while events.recv().await != Some("gone") {}
        wire.send(stateless(2, "tools/list", json!({}))).await;
        let rest = match state {
            // In this state, no request is served.
            State::Unready => wire.drain().await,
            _ => {
                while wire.answer().await["id"] != 2 {}
                wire.drain().await
            }
        };
        assert!(
            rest.iter().all(|message| message["id"] != 1),
            "{state:?}: {rest:?}"
        );
        nothing_is_left(state, server, events).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_with_the_drain_time_of_its_server() {
    for state in STATES {
        let (wire, server, events) = staying(state).await;
        let begun = tokio::time::Instant::now();
        wire.drain().await;
        let seconds = match state {
            // The server does not wait for subscriptions, nor for questions whose client has left.
            State::Listening | State::Asking => 0,
            _ => 5,
        };
        assert_eq!(begun.elapsed().as_secs(), seconds, "{state:?}");
        nothing_is_left(state, server, events).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_dropped_with_its_connection() {
    for state in STATES {
        let (wire, server, events) = staying(state).await;
        wire.serving.abort();
        drop(wire);
        nothing_is_left(state, server, events).await;
    }
}
