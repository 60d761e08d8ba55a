//! Lets a function turn its call into a task.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_runtime::{Context, ProtocolError};
use tokio::sync::Notify;

use super::Task;
use crate::tasks::TaskStatus;
use crate::tasks::types::ID;

/// State that is shared by the function of a call and the layer around it.
#[derive(Clone)]
pub(super) struct CallState(Arc<Shared>);

struct Shared {
    tool: Arc<Task>,
    /// Notified when the function requests that the call becomes a task.
    deferred: Notify,
    /// True once the call has become a task, or is known to stay a plain call.
    is_decided: AtomicBool,
    decided: Notify,
    /// The task that was created for work elsewhere.
    created: OnceLock<Box<TaskStatus>>,
}

impl CallState {
    pub(super) fn new(tool: Arc<Task>) -> Self {
        Self(Arc::new(Shared {
            tool,
            deferred: Notify::new(),
            is_decided: AtomicBool::new(false),
            decided: Notify::new(),
            created: OnceLock::new(),
        }))
    }

    pub(super) fn tool(&self) -> &Task {
        &self.0.tool
    }

    pub(super) fn of(cx: &Context) -> Option<&Self> {
        cx.identity()
    }

    pub(super) async fn deferred(&self) {
        self.0.deferred.notified().await;
    }

    pub(super) fn decide(&self) {
        self.0.is_decided.store(true, Ordering::Release);
        self.0.decided.notify_waiters();
    }

    pub(super) fn is_decided(&self) -> bool {
        self.0.is_decided.load(Ordering::Acquire)
    }

    /// Records the task that was created for work elsewhere. Returns false if the call already has
    /// one.
    pub(super) fn set_created(&self, status: TaskStatus) -> bool {
        self.0.created.set(Box::new(status)).is_ok()
    }

    pub(super) fn created(&self) -> Option<&TaskStatus> {
        self.0.created.get().map(|status| &**status)
    }
}

/// Extends [`Context`] to turn the current call into a task.
pub trait Defer {
    /// Answers the call with a task, and continues.
    ///
    /// The code after this point belongs to the task: it runs once, and its questions wait for
    /// their answers. The code before this point belongs to the call, and runs again in each round
    /// of questions (2026-07-28, "Multi Round-Trip Requests").
    ///
    /// Does nothing for tools without `with(`[`Task`](super::Task)`::…)`, for clients that do not
    /// declare the extension, beyond the [limits](crate::tasks::TaskLimits), and if the call is
    /// already a task.
    ///
    /// ```
    /// use mcp_extensions::tasks::{Defer, Task};
    /// use mcp_runtime::prelude::*;
    ///
    /// struct Archive;
    ///
    /// #[mcp_server]
    /// impl Archive {
    ///     /// Deletes what is older than a year.
    ///     #[tool(with(Task::deferred()))]
    ///     async fn clean(&self, cx: &Context) -> Result<String, ToolError> {
    ///         let sure: bool = cx.elicit("Delete all of it?").await?;
    ///         cx.defer().await?;
    ///         tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    ///         Ok(format!("deleted: {sure}"))
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// There are no errors yet. A call that has to become a task, but can't, is dropped here.
    fn defer(&self) -> impl Future<Output = Result<(), ProtocolError>> + Send;
}

impl Defer for Context {
    async fn defer(&self) -> Result<(), ProtocolError> {
        if let Some(call) = CallState::of(self) {
            let decided = call.0.decided.notified();
            if !call.is_decided() {
                call.0.deferred.notify_one();
                decided.await;
            }
        }
        Ok(())
    }
}

pub(super) fn check_declared(cx: &Context) -> Result<(), ProtocolError> {
    cx.require_extension(ID)
}
