//! The extension of a client, which follows calls that are answered with a task to their end.

use mcp_runtime::BoxFuture;
use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::{CallToolRequest, JsonObject, RawJson, Request};
use mcp_runtime::{CallError, Client, ExtensionMethod, Revision};
use serde::Deserialize;

use super::follower::Follower;
use crate::tasks::ID;
use crate::tasks::types::{CANCEL, CancelTask, GET, RESULT_TYPE, TaskParams, UPDATE, is_offered};

const METHODS: &[ExtensionMethod] = &[GET, UPDATE, CANCEL];

/// The extension `io.modelcontextprotocol/tasks` of a client.
///
/// Create it with [`Tasks::client`](crate::tasks::Tasks::client), and add it with
/// [`ClientBuilder::extension`](mcp_runtime::ClientBuilder::extension).
///
/// The client declares the extension in the stateless era (2026-07-28). It follows a tool call that
/// is answered with a task to the end of the task: with a subscription if the server offers one, or
/// else by polling as often as the server suggests, between 100 ms and an hour.
///
/// The handlers of the client answer questions of the task. Without a handler, the task is
/// cancelled, and the call fails. The client waits until lost connections, timeouts and
/// `Retry-After` are over. The time limit of a call applies to each of its requests. Dropping the
/// call cancels the task.
///
/// A [handle](super::CallTask) follows the task step by step.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_extensions::tasks::Tasks;
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::http_client;
/// use serde_json::json;
///
/// let client = Client::builder("my-app", "1.0.0").extension(Tasks::client());
/// let client = client.connect(http_client("https://example.com/mcp")).await?;
/// let video: String = client.call("render", json!({"scenes": 3})).await?;
/// # drop(video);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TasksClient;

impl TasksClient {
    /// Creates the extension.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl ClientExtension for TasksClient {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        is_offered(revision).then(JsonObject::new)
    }

    fn methods(&self) -> &[ExtensionMethod] {
        METHODS
    }

    fn claim(
        &self,
        client: &Client,
        method: &str,
        result: &RawJson,
    ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
        let follower = created(client, method, result)?.map(Follower::cancel_on_drop);
        Some(Box::pin(async move { follower?.end().await }))
    }

    fn abandoned(&self, client: &Client, method: &str, result: &RawJson) -> Option<BoxFuture<()>> {
        let follower = created(client, method, result)?.ok()?;
        let id = follower.status().task_id.clone();
        Some(Box::pin(cancel(client.clone(), id)))
    }
}

/// The task that a call was answered with, or `None` for other results.
///
/// # Errors
///
/// Returns an error if the task is malformed. The task is then cancelled.
pub(super) fn created(
    client: &Client,
    method: &str,
    result: &RawJson,
) -> Option<Result<Follower, CallError>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Kind {
        result_type: String,
        #[serde(default)]
        task_id: String,
    }

    let kind: Kind = result.parse().ok()?;
    let is_task = method == CallToolRequest::METHOD && kind.result_type == RESULT_TYPE;
    is_task.then(|| match result.parse() {
        Ok(status) => Ok(Follower::new(client.clone(), status)),
        Err(error) => {
            tokio::spawn(cancel(client.clone(), kind.task_id));
            Err(unfit(method, &format!("it is not a task: {error}")))
        }
    })
}

pub(super) fn unfit(method: &str, reason: &str) -> CallError {
    CallError::Result {
        method: method.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Cancels a task whose end is no longer waited for.
pub(super) async fn cancel(client: Client, id: String) {
    let params = TaskParams { task_id: id };
    if let Err(error) = client.request::<CancelTask>(params).await {
        tracing::debug!(%error, "a task could not be cancelled");
    }
}
