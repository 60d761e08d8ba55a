//! The extension of a server, and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::server::DetachedRequest;

use super::process::{Left, Process};
use super::records::Records;
use crate::tasks::client::TasksClient;
use crate::tasks::limits::{GRACE, TaskLimits};
use crate::tasks::store::{MemoryTaskStore, TaskRecord, TaskStore, TaskStoreError};

/// The extension `io.modelcontextprotocol/tasks` of a server, with the store of its tasks.
///
/// Add it with [`ServerBuilder::extension`](mcp_runtime::ServerBuilder::extension). Clones share
/// the store, but each clone has its own settings.
///
/// The extension is offered in the stateless era (2026-07-28). Tools whose calls may become tasks
/// are declared with `with(`[`Task`](super::Task)`::…)`. The extension serves `tasks/get`,
/// `tasks/update` and `tasks/cancel` to the principal that made the call, if the principal has the
/// scopes that the call required. It also announces changes to subscriptions with `taskIds`
/// (ext-tasks, "Task Status Notifications").
///
/// ```
/// use mcp_extensions::tasks::{Task, Tasks};
/// use mcp_runtime::prelude::*;
///
/// struct Studio;
///
/// #[mcp_server]
/// impl Studio {
///     /// Renders a film.
///     #[tool(with(Task::after("250ms").ttl("24h")))]
///     async fn render(&self, scenes: u32, cx: &Context) -> String {
///         for scene in 0..scenes {
///             cx.progress(scene, scenes, "rendering");
///             tokio::time::sleep(std::time::Duration::from_secs(60)).await;
///         }
///         format!("{scenes} scenes")
///     }
/// }
///
/// let mut server = Studio.into_builder();
/// server.extension(Tasks::memory());
/// # drop(server.build());
/// ```
#[derive(Clone)]
pub struct Tasks(pub(super) Arc<Shared>);

#[derive(Clone)]
pub(super) struct Shared {
    pub(super) records: Records,
    pub(super) limits: TaskLimits,
    pub(super) grace: Duration,
    pub(super) identify: Option<Arc<Identify>>,
    pub(super) process: Arc<Process>,
}

/// Gives the identity of its principal to a call that runs again. Returns `None` if the principal
/// no longer exists.
pub(super) type Identify = dyn Fn(&str, &mut DetachedRequest) -> Option<()> + Send + Sync;

impl Tasks {
    /// Creates the extension, which keeps tasks in memory.
    #[must_use]
    pub fn memory() -> Self {
        Self::new(MemoryTaskStore::new())
    }

    /// Creates the extension, which keeps tasks in `store`.
    #[must_use]
    pub fn new(store: impl TaskStore) -> Self {
        let records = Records::new(store);
        let process = Arc::new(Process::new(records.store.lease()));
        Self(Arc::new(Shared {
            records,
            limits: TaskLimits::default(),
            grace: GRACE,
            identify: None,
            process,
        }))
    }

    /// Creates the extension of a client, whose calls follow tasks to their end.
    #[must_use]
    pub fn client() -> TasksClient {
        TasksClient::new()
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: TaskLimits) -> Self {
        Arc::make_mut(&mut self.0).limits = limits;
        self
    }

    /// Sets how long a server that shuts down waits for its tasks. The default is 5 seconds.
    ///
    /// Tasks that are not done by then are left to other processes that share the store. If the
    /// store is not shared, they fail.
    ///
    /// A failing store does not delay the shutdown by more than two seconds after the grace period.
    /// The server then ends with [`ServeError::Shutdown`](mcp_runtime::ServeError), which names the
    /// tasks whose end was not stored.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        Arc::make_mut(&mut self.0).grace = grace;
        self
    }

    /// Sets how a call that [runs again](super::Task::restart) gets the identity of its principal,
    /// which is not stored.
    ///
    /// `identify` gets the name of the principal, and inserts the values that handlers take as the
    /// identity. If it returns `None`, the task fails. Without `identify`, tasks of principals
    /// can't run again, and fail.
    ///
    /// ```
    /// use mcp_extensions::tasks::Tasks;
    /// use mcp_runtime::transport::http::Principal;
    ///
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// let tasks = Tasks::memory().identify(|principal, call| {
    ///     call.insert(Principal::new(principal));
    ///     call.insert(User(principal.strip_prefix("user-")?.to_owned()));
    ///     Some(())
    /// });
    /// # drop(tasks);
    /// ```
    #[must_use]
    pub fn identify(
        mut self,
        identify: impl Fn(&str, &mut DetachedRequest) -> Option<()> + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.0).identify = Some(Arc::new(identify));
        self
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("limits", &self.0.limits)
            .field("grace", &self.0.grace)
            .finish_non_exhaustive()
    }
}

/// A task that is stored, or may be stored, and that no process works on yet. If this is dropped,
/// the maintenance removes the task from the store.
pub(super) struct NewTask {
    tasks: Tasks,
    id: Arc<str>,
    removes_on_drop: bool,
}

impl NewTask {
    /// Keeps the task in the store, once its work has started or is done elsewhere.
    pub(super) fn keep(mut self) {
        self.removes_on_drop = false;
    }
}

impl Tasks {
    /// Stores the task of a call. Returns `None` if the task would exceed the limits. If the call
    /// is dropped in the meantime, or if the store fails, the task is removed.
    pub(super) async fn insert_for_call(
        &self,
        task: TaskRecord,
    ) -> Result<Option<NewTask>, TaskStoreError> {
        let mut new = NewTask {
            tasks: self.clone(),
            id: Arc::clone(&task.id),
            removes_on_drop: true,
        };
        let inserting = tokio::spawn(async move {
            new.removes_on_drop = new.tasks.insert(task).await?;
            Ok(new.removes_on_drop.then_some(new))
        });
        let inserted = inserting.await;
        inserted.map_err(|panic| TaskStoreError::Failed(panic.into()))?
    }
}

impl Drop for NewTask {
    fn drop(&mut self) {
        if self.removes_on_drop {
            self.tasks.0.process.leave(&self.id, Left::Remove);
            self.tasks.0.process.wake.notify_one();
        }
    }
}
