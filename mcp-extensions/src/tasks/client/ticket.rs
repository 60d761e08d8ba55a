//! Tickets of tasks, which another process may go on with.

use mcp_runtime::BoxFuture;
use mcp_runtime::client::CallOutput;
use mcp_runtime::types::{CallToolRequest, CallToolResult, JsonObject, RawJson, Request};
use mcp_runtime::{CallError, Client};
use serde::{Deserialize, Serialize};

use super::TaskHandle;
use super::extension::unfit;
use super::follower::Follower;
use super::handle::Work;

/// What is needed to go on with a task: to be kept as JSON, for another process. Made by
/// [`TaskHandle::ticket`].
///
/// The id of a task may be all that its server asks for, so a ticket is a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskTicket {
    /// The name of the server, as it states it.
    pub server: String,
    /// The name of the tool.
    pub tool: String,
    /// The id of the task; `None` for a call that was answered by its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The result of such a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
}

/// Goes on with tasks by their tickets, for [`Client`].
pub trait ResumeTask {
    /// Gets the status of the task of a ticket. The output of the call is a `T`, as in
    /// [`Client::call`].
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] with -32602 where the server does not have the task any more;
    /// [`CallError::Result`] where the ticket is that of another server, which is not asked.
    fn resume<T: CallOutput + 'static>(
        &self,
        ticket: TaskTicket,
    ) -> BoxFuture<Result<TaskHandle<T>, CallError>>;

    /// Gets the status of a task by its id alone, such as one that a person has written down. The output of the
    /// call is its result, as in [`Client::call_tool`].
    ///
    /// # Errors
    ///
    /// [`CallError::Rpc`] with -32602 where the server does not have the task.
    fn resume_id(&self, id: &str) -> BoxFuture<Result<TaskHandle<CallToolResult>, CallError>>;
}

impl ResumeTask for Client {
    fn resume<T: CallOutput + 'static>(
        &self,
        ticket: TaskTicket,
    ) -> BoxFuture<Result<TaskHandle<T>, CallError>> {
        let client = self.clone();
        Box::pin(async move {
            let server = server_name(&client);
            if server != ticket.server {
                let theirs = &ticket.server;
                let reason = format!("the ticket is one of `{theirs}`, and this is `{server}`");
                return Err(unfit(CallToolRequest::METHOD, &reason));
            }
            let call = client.call::<T>(ticket.tool, JsonObject::new());
            let converter = call.converter();
            let work = match (ticket.task, ticket.result) {
                (Some(id), _) => Work::Followed(Box::new(Follower::resumed(client, id).await?)),
                (None, Some(result)) => Work::Done(result),
                (None, None) => {
                    let reason = "the ticket has neither a task nor a result";
                    return Err(unfit(CallToolRequest::METHOD, reason));
                }
            };
            Ok(TaskHandle::new(work, converter))
        })
    }

    fn resume_id(&self, id: &str) -> BoxFuture<Result<TaskHandle<CallToolResult>, CallError>> {
        let converter = self.call_tool("", ()).converter();
        let resumed = Follower::resumed(self.clone(), id.to_owned());
        Box::pin(async move {
            let work = Work::Followed(Box::new(resumed.await?));
            Ok(TaskHandle::new(work, converter))
        })
    }
}

/// The name of the server; empty if it states none.
pub(super) fn server_name(client: &Client) -> String {
    client
        .server_info()
        .map(|info| info.name)
        .unwrap_or_default()
}
