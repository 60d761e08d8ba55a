//! Tasks whose work is done elsewhere: by a queue, a webhook or another process.

use std::sync::Arc;

use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{CallToolResult, InputRequest, RawJson};
use mcp_runtime::{Context, IntoToolResult, ProtocolError};

use super::Tasks;
use super::defer::{CallState, check_declared};
use super::records::{unavailable, whole};
use crate::tasks::TaskState;
use crate::tasks::limits::POLL_INTERVAL;
use crate::tasks::store::{TaskRecord, TaskStoreError};

/// A task for work that is done elsewhere, created by [`Tasks::create`]. If the function of a tool
/// returns it, the call is answered with the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedTask(Arc<str>);

impl CreatedTask {
    /// Returns the id, with which the task can be [opened](Tasks::open).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0
    }
}

impl IntoToolResult for CreatedTask {
    /// Returns a result without content. The task is sent in its place.
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        Ok(CallToolResult::new([]))
    }
}

impl Tasks {
    /// Creates the task that answers the call of `cx`, for work that is done elsewhere.
    ///
    /// Any process with the store can [open](Self::open) the task by its id, and end it. The result
    /// that the function returns later is not sent, unless it is an error.
    ///
    /// The task has no runner, so it stays as it is until it is changed by its id, or expires.
    ///
    /// ```
    /// use mcp_extensions::tasks::{CreatedTask, Task, Tasks};
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::types::CallToolResult;
    ///
    /// struct Print;
    ///
    /// #[mcp_server]
    /// impl Print {
    ///     /// Prints a book.
    ///     #[tool(with(Task::deferred().ttl("30d")))]
    ///     async fn order(&self, title: String, cx: &Context) -> Result<CreatedTask, ToolError> {
    ///         let tasks = cx.extension::<Tasks>().ok_or(ToolError::new("the server has no tasks"))?;
    ///         let task = tasks.create(cx).await?;
    ///         // queue.push(task.id(), title)
    ///         Ok(task)
    ///     }
    /// }
    ///
    /// /// Called by a webhook, days later.
    /// async fn printed(tasks: &Tasks, id: &str, result: CallToolResult) {
    ///     if let Ok(false) = tasks.open(id).complete(&result).await {
    ///         println!("the task {id} has already ended");
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns -32021 if the client does not declare the extension. Returns -32603 if the tool has
    /// no `with(`[`Task`](super::Task)`::…)`, if the call is already a task, if the store fails, or
    /// if its limits are reached.
    pub async fn create(&self, cx: &Context) -> Result<CreatedTask, ProtocolError> {
        check_declared(cx)?;
        let call = CallState::of(cx).filter(|call| !call.is_decided());
        let call = call.ok_or_else(|| refused("this call can't become a task"))?;
        let record = call.tool().record(self, cx);
        let new = self.insert_for_call(record.clone()).await;
        let Some(new) = new.map_err(unavailable)? else {
            let wait = POLL_INTERVAL.as_secs();
            return Err(refused(&format!("too many tasks: try again in {wait} s")));
        };
        if !call.set_created(record.status()) {
            return Err(refused("this call is a task already"));
        }
        new.keep();
        Ok(CreatedTask(record.id))
    }

    /// Opens the task with this id, of any caller, to report on it and to end it. This does not
    /// read the store.
    #[must_use]
    pub fn open(&self, id: impl Into<String>) -> OpenTask {
        OpenTask {
            tasks: self.clone(),
            id: id.into(),
        }
    }
}

fn refused(reason: &str) -> ProtocolError {
    ProtocolError::new(code::INTERNAL_ERROR, reason.to_owned())
}

/// A task whose work is done outside its call. Returned by [`Tasks::open`].
///
/// Methods return false if there is no such task, or if it has ended, for example because the
/// client has cancelled it, or because it has expired.
#[derive(Clone, Debug)]
pub struct OpenTask {
    tasks: Tasks,
    id: String,
}

impl OpenTask {
    /// Replaces the message of the status.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn message(&self, message: impl Into<String>) -> Result<bool, TaskStoreError> {
        let message = message.into();
        self.change(|task| task.message = Some(message.clone()))
            .await
    }

    /// Asks the client, and waits for the answer. `key` identifies the question. If a question with
    /// this key has already been answered, the same answer is returned.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails, or if the task ends before the question is answered.
    pub async fn ask(
        &self,
        key: impl Into<String>,
        request: InputRequest,
    ) -> Result<RawJson, ProtocolError> {
        self.tasks.ask(&self.id, &key.into(), request).await
    }

    /// Ends the task with the result of the call, which may be the error of a tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn complete(&self, result: &CallToolResult) -> Result<bool, TaskStoreError> {
        let result = whole(RawJson::encode(result));
        self.change(|task| {
            task.end(TaskState::Completed, None);
            task.result = Some(result.clone());
        })
        .await
    }

    /// Ends the task with an error of the protocol.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn fail(&self, error: ProtocolError) -> Result<bool, TaskStoreError> {
        self.change(|task| task.fail(error.clone())).await
    }

    /// Waits until the task has ended in any way.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn ended(&self) -> Result<(), TaskStoreError> {
        let ended = |task: &TaskRecord| task.state.is_final().then_some(());
        let ended = self.tasks.0.records.wait_for(&self.id, ended).await;
        ended.map(drop)
    }

    /// Changes the task unless it has ended.
    async fn change(&self, change: impl Fn(&mut TaskRecord)) -> Result<bool, TaskStoreError> {
        let changed = self.tasks.0.records.edit(&self.id, |record| {
            let runs = !record.state.is_final();
            runs.then(|| change(record))
        });
        Ok(changed.await?.is_some())
    }
}
