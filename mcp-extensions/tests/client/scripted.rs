//! A server whose tasks follow the script of a test.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_extensions::tasks::Tasks;
use mcp_runtime::BoxFuture;
use mcp_runtime::client::ClientBuilder;
use mcp_runtime::layer::{BoxError, McpRequest, McpResponse, Next};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::server::{Extension, ExtensionNotification, ExtensionSubscription, ToolExtension};
use mcp_runtime::testing::connect;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{
    Client, Context, ExtensionMethod, ProtocolError, Revision, Server, ServerBuilder,
};
use tokio::sync::mpsc;
use tokio::time::Instant;

pub const ID: &str = "io.modelcontextprotocol/tasks";

/// A request that a client makes for its task.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Get,
    Update(Value),
    Cancel,
}

#[derive(Default)]
pub struct Script {
    /// The answers to `tasks/get`. The last one is repeated.
    pub statuses: Mutex<VecDeque<Result<Value, ProtocolError>>>,
    /// The statuses announced to a subscription, or `None` if there are no subscriptions to tasks.
    pub announced: Option<Vec<Value>>,
    seen: Mutex<Vec<(Seen, Instant)>>,
    pub changed: tokio::sync::Notify,
}

impl Script {
    pub fn of(statuses: impl IntoIterator<Item = Value>) -> Self {
        Self {
            statuses: Mutex::new(statuses.into_iter().map(Ok).collect()),
            ..Self::default()
        }
    }

    pub fn server(self) -> (Arc<Self>, Server) {
        let script = Arc::new(self);
        let mut server = Scripted.into_builder();
        server.extension(Script::extension(&script));
        (script, server.build())
    }

    fn extension(script: &Arc<Self>) -> Play {
        Play(Arc::clone(script))
    }

    /// A client of the server, which follows tasks.
    pub async fn client(self) -> (Arc<Self>, Client) {
        self.client_of(Client::builder("test", "1")).await
    }

    pub async fn client_of(self, client: ClientBuilder) -> (Arc<Self>, Client) {
        let (script, server) = self.server();
        let client = client.extension(Tasks::client());
        let client = connect(server).client(client).revision(Revision::LATEST);
        (script, client.await.unwrap())
    }

    fn note(&self, seen: Seen) {
        self.seen.lock().unwrap().push((seen, Instant::now()));
        self.changed.notify_one();
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .unwrap()
            .iter()
            .map(|(seen, _)| seen.clone())
            .collect()
    }

    /// The milliseconds between each request and the one before.
    pub fn pauses(&self) -> Vec<u128> {
        let seen = self.seen.lock().unwrap();
        let times: Vec<_> = seen.iter().map(|(_, at)| *at).collect();
        times
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).as_millis())
            .collect()
    }

    /// Waits until the client has cancelled the task.
    pub async fn cancelled(&self) {
        while !self.seen().contains(&Seen::Cancel) {
            self.changed.notified().await;
        }
    }
}

/// A status of the task, with additional members.
pub fn status(state: &str, more: Value) -> Value {
    let mut status = json!({"taskId": "t1", "status": state, "createdAt": "2026-11-01T10:00:00Z",
        "lastUpdatedAt": "2026-11-01T10:00:00Z", "ttlMs": null});
    let more = more.as_object().unwrap().clone();
    status.as_object_mut().unwrap().extend(more);
    status
}

pub fn working() -> Value {
    status("working", json!({}))
}

pub fn completed(text: &str) -> Value {
    let result = json!({"content": [{"type": "text", "text": text}]});
    status("completed", json!({"result": result}))
}

pub fn asking(keys: &[&str]) -> Value {
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}});
    let asked = keys.iter().map(|key| ((*key).to_owned(), question.clone()));
    status(
        "input_required",
        json!({"inputRequests": Value::Object(asked.collect())}),
    )
}

struct Play(Arc<Script>);

impl Extension for Play {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        (revision == Revision::LATEST).then(JsonObject::new)
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let script = Arc::clone(&self.0);
        let named = |name| ExtensionMethod::new(name).named_by("taskId");
        server.method(named("tasks/get"), move |_: JsonObject, _| {
            script.note(Seen::Get);
            let mut statuses = script.statuses.lock().unwrap();
            let status = match statuses.len() {
                1 => statuses[0].clone(),
                _ => statuses.pop_front().unwrap(),
            };
            async move { status }
        });
        let script = Arc::clone(&self.0);
        server.method(named("tasks/update"), move |params: Value, _| {
            script.note(Seen::Update(params["inputResponses"].clone()));
            async { Ok::<_, ProtocolError>(json!({})) }
        });
        let script = Arc::clone(&self.0);
        server.method(named("tasks/cancel"), move |_: JsonObject, _| {
            script.note(Seen::Cancel);
            async { Ok::<_, ProtocolError>(json!({})) }
        });
    }

    fn listen(
        &self,
        wanted: &JsonObject,
        _: &Context,
    ) -> Result<Option<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let Some(announced) = self.0.announced.clone() else {
            return Ok(None);
        };
        let (sender, notifications) = mpsc::channel(1);
        tokio::spawn(async move {
            for status in announced {
                tokio::time::sleep(Duration::from_millis(10)).await;
                let status = status.as_object().unwrap().clone();
                let news = ExtensionNotification::new("notifications/tasks", status);
                sender.send(news).await.unwrap();
            }
            sender.closed().await;
        });
        let listening = ExtensionSubscription::new(wanted.clone(), notifications);
        Ok(Some(Box::pin(async { listening })))
    }
}

/// Answers calls with a task, even if the client does not declare tasks.
struct Answered;

impl ToolExtension for Answered {
    fn call(
        self: Arc<Self>,
        request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(async move {
            let play = request.context().unwrap().extension::<Play>().unwrap();
            let script = Arc::clone(&play.0);
            if request.params().unwrap().get().contains("plain") {
                return next.run(request).await;
            }
            let first = script.statuses.lock().unwrap().pop_front().unwrap();
            let mut created = first?;
            created["resultType"] = json!("task");
            Ok(McpResponse::of(&created)?)
        })
    }
}

struct Scripted;

#[mcp_server(name = "scripted", undocumented = "allow")]
impl Scripted {
    #[tool(with(Answered))]
    fn work(&self, #[arg(default)] how: String) -> String {
        how
    }
}
