//! The handle of a call that may have become a task.

use std::fmt;

use mcp_runtime::client::{Call, CallOutput, ResultConverter};
use mcp_runtime::types::{CallToolRequest, CallToolResult, JsonObject, RawJson, Request};
use mcp_runtime::{BoxFuture, CallError, Client};
use serde::{Deserialize, Serialize};

use super::extension::{created, unfit};
use super::follower::Follower;
use crate::tasks::types::{CancelTask, TaskParams};
use crate::tasks::{ID, TaskStatus};

/// Extends [`Call`] with a handle for the task of a tool call.
pub trait CallTask<T> {
    /// Sends the call, and returns when the server has answered with a task or a result.
    ///
    /// The server alone decides which of the two it returns. If the client does not declare the
    /// [extension](super::TasksClient), the server returns a result.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_extensions::tasks::{CallTask, ResumeTask, TaskTicket};
    /// use serde_json::json;
    ///
    /// let mut task = client.call::<String>("render", json!({"scenes": 3})).task().await?;
    /// while let Some(status) = task.next().await? {
    ///     println!("{:?} {:?}", status.state, status.message);
    ///     if status.message.as_deref() == Some("rendering (2 of 3)") {
    ///         break;
    ///     }
    /// }
    /// let ticket: TaskTicket = task.detach();
    /// let video: String = client.resume(ticket).await?.result().await?;
    /// # drop(video);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of the call, and [`CallError::Result`] for a task that is malformed, or
    /// that comes from a server without the extension.
    fn task(self) -> BoxFuture<Result<TaskHandle<T>, CallError>>;
}

impl<T: 'static> CallTask<T> for Call<CallToolRequest, T> {
    fn task(self) -> BoxFuture<Result<TaskHandle<T>, CallError>> {
        let converter = self.converter();
        Box::pin(async move {
            let result = self.raw().await?;
            let client = converter.client();
            // In a revision without `ResultType`, servers may use `resultType` for their own
            // purposes.
            let may_be_task = client.has_extension(ID) || client.revision().has_type("ResultType");
            let task = created(client, CallToolRequest::METHOD, &result);
            let work = match task.filter(|_| may_be_task) {
                None => Work::Done(result),
                Some(_) if !client.has_extension(ID) => {
                    let reason = "it is a task, but the extension was not agreed on";
                    return Err(unfit(CallToolRequest::METHOD, reason));
                }
                Some(follower) => Work::Followed(Box::new(follower?)),
            };
            Ok(TaskHandle::new(work, converter))
        })
    }
}

/// A call that has become a task, or is done. Returned by [`CallTask::task`] and
/// [`ResumeTask::resume`](super::ResumeTask::resume).
///
/// When the handle is dropped, the task continues, unless [`cancel_on_drop`](Self::cancel_on_drop)
/// is set. Questions of the task are answered only while the handle [follows](Self::next) it.
pub struct TaskHandle<T> {
    work: Work,
    converter: ResultConverter<CallToolRequest, T>,
    /// True once [`next`](Self::next) has returned the current status.
    is_reported: bool,
}

pub(super) enum Work {
    Done(RawJson),
    Followed(Box<Follower>),
}

impl<T> TaskHandle<T> {
    pub(super) fn new(work: Work, converter: ResultConverter<CallToolRequest, T>) -> Self {
        Self {
            work,
            converter,
            is_reported: false,
        }
    }

    /// Cancels the task if the handle, or the future of [`result`](Self::result), is dropped before
    /// the task has ended.
    ///
    /// # Panics
    ///
    /// Panics outside of a Tokio runtime.
    #[must_use]
    pub fn cancel_on_drop(mut self) -> Self {
        if let Work::Followed(follower) = self.work {
            self.work = Work::Followed(Box::new(follower.cancel_on_drop()));
        }
        self
    }

    /// Returns the id of the task, or `None` if the call was answered with a result.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.status().map(|status| &*status.task_id)
    }

    /// Returns the last known status, or `None` if the call was answered with a result.
    #[must_use]
    pub fn status(&self) -> Option<&TaskStatus> {
        match &self.work {
            Work::Done(_) => None,
            Work::Followed(follower) => Some(follower.status()),
        }
    }

    /// Returns the next status of the task: first the known status, then each later status up to
    /// the final one, and then `None`.
    ///
    /// Returns `None` for a call that was answered with a result. Questions of the task are
    /// answered here, by the handlers of the client.
    ///
    /// # Errors
    ///
    /// Returns an error if `tasks/get` fails, if a question has no handler (the task is then
    /// cancelled), or if the time to live is over.
    pub async fn next(&mut self) -> Result<Option<TaskStatus>, CallError> {
        let Work::Followed(follower) = &mut self.work else {
            return Ok(None);
        };
        if self.is_reported {
            if follower.status().state.is_final() {
                return Ok(None);
            }
            let before = follower.status().clone();
            while *follower.status() == before {
                follower.next().await?;
            }
        }
        self.is_reported = true;
        Ok(Some(follower.status().clone()))
    }

    /// Follows the task to its end, and returns the output of the call.
    ///
    /// # Errors
    ///
    /// Returns the errors of the call and of [`next`](Self::next), and [`CallError::Tool`] if the
    /// task was cancelled.
    pub async fn result(self) -> Result<T, CallError> {
        let result = match self.work {
            Work::Done(result) => result,
            Work::Followed(follower) => follower.end().await?,
        };
        self.converter.complete(result).await
    }

    /// Asks the server to cancel the task, which the server may ignore. Does nothing for a call
    /// that was answered with a result.
    ///
    /// # Errors
    ///
    /// Returns an error if the request fails, or if the server no longer has the task.
    pub async fn cancel(self) -> Result<(), CallError> {
        if let Work::Followed(mut follower) = self.work {
            follower.cancels = None;
            let task_id = follower.status().task_id.clone();
            let cancelled = follower
                .client()
                .request::<CancelTask>(TaskParams { task_id });
            cancelled.await?;
        }
        Ok(())
    }

    /// Returns the data that another process needs to continue with the task, and leaves the task
    /// running.
    #[must_use]
    pub fn detach(mut self) -> TaskTicket {
        if let Work::Followed(follower) = &mut self.work {
            follower.cancels = None;
        }
        self.ticket()
    }

    /// Like [`detach`](Self::detach), without giving up the handle. For a call that was answered
    /// with a result, the ticket contains the result.
    #[must_use]
    pub fn ticket(&self) -> TaskTicket {
        let (task, result) = match &self.work {
            Work::Done(result) => (None, Some(result.clone())),
            Work::Followed(follower) => (Some(follower.status().task_id.clone()), None),
        };
        TaskTicket {
            server: server_name(self.client()),
            tool: self.converter.tool().unwrap_or_default().to_owned(),
            task,
            result,
        }
    }

    fn client(&self) -> &Client {
        self.converter.client()
    }
}

impl<T> fmt::Debug for TaskHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHandle")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// The data to continue with a task in another process. It can be stored as JSON. Returned by
/// [`TaskHandle::ticket`].
///
/// A server may accept the id of a task without any other credential, so a ticket is a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskTicket {
    /// The name that the server reports.
    pub server: String,
    /// The name of the tool.
    pub tool: String,
    /// The id of the task, or `None` for a call that was answered with a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The result, for a call that was answered with a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
}

/// Extends [`Client`] to continue with tasks.
pub trait ResumeTask {
    /// Gets the status of the task of a ticket. The output of the call is a `T`, as in
    /// [`Client::call`].
    ///
    /// # Errors
    ///
    /// Returns [`CallError::Rpc`] with code -32602 if the server no longer has the task, and
    /// [`CallError::Result`] if the ticket belongs to another server. No request is sent then.
    fn resume<T: CallOutput + 'static>(
        &self,
        ticket: TaskTicket,
    ) -> BoxFuture<Result<TaskHandle<T>, CallError>>;

    /// Gets the status of a task by its id alone, for example if a person has written the id down.
    /// The output of the call is a [`CallToolResult`], as in [`Client::call_tool`].
    ///
    /// # Errors
    ///
    /// Returns [`CallError::Rpc`] with code -32602 if the server does not have the task.
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
                let reason = format!("the ticket belongs to `{theirs}`, but this is `{server}`");
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

/// The name that the server reports, or an empty string.
pub(super) fn server_name(client: &Client) -> String {
    client
        .server_info()
        .map(|info| info.name)
        .unwrap_or_default()
}
