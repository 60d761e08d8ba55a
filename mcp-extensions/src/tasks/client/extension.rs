//! The extension of a client: calls that are answered by a task are followed to their end.

use mcp_runtime::BoxFuture;
use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::{CallToolRequest, JsonObject, RawJson, Request};
use mcp_runtime::{CallError, Client, ExtensionMethod, Revision};
use serde::Deserialize;

use super::follower::Follower;
use crate::tasks::ID;
use crate::tasks::types::{CANCEL, CancelTask, GET, RESULT_TYPE, TaskParams, UPDATE, is_offered};

const METHODS: &[ExtensionMethod] = &[GET, UPDATE, CANCEL];

/// The extension `io.modelcontextprotocol/tasks` of a client; added by
/// [`ClientBuilder::extension`](mcp_runtime::ClientBuilder::extension), and made by
/// [`Tasks::client`](crate::tasks::Tasks::client).
///
/// It is declared in the stateless era (2026-07-28). Calls of tools that are answered by a task are followed to
/// its end: by a subscription where the server offers one, else by polls, as often as it suggests, between 100 ms
/// and an hour. Questions of the task are answered by the handlers of the client; without one, the task is
/// cancelled, and the call fails. Lost connections, time-outs and `Retry-After` are waited for. Dropping the
/// call cancels the task. Time limits of a call are those of each request.
///
/// A [handle](super::CallTask) of a call does this step by step.
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
    /// The extension.
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

/// The task that a call was answered by; `None` for other results.
///
/// # Errors
///
/// When the task is malformed. It is then cancelled.
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
            Err(unfit(method, &format!("it is no task: {error}")))
        }
    })
}

/// A result that is not what the method promises.
pub(super) fn unfit(method: &str, reason: &str) -> CallError {
    CallError::Result {
        method: method.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Cancels a task, whose end nobody waits for.
pub(super) async fn cancel(client: Client, id: String) {
    let params = TaskParams { task_id: id };
    if let Err(error) = client.request::<CancelTask>(params).await {
        tracing::debug!(%error, "a task could not be cancelled");
    }
}
