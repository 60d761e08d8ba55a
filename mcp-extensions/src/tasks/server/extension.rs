//! The extension of a server: its methods and subscriptions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::layer::BoxFuture;
use mcp_runtime::serde_json::json;
use mcp_runtime::server::{DetachedRequest, Extension, ExtensionNotification, Listening};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{JsonObject, OrderedMap, RawJson};
use mcp_runtime::{Context, Era, ProtocolError, Revision, ServerBuilder};
use tokio::sync::mpsc;

use super::process::Process;
use super::records::{Records, unavailable, unknown};
use crate::tasks::client::TasksClient;
use crate::tasks::limits::{GRACE, MAX_SUBSCRIBED, QUEUED_NOTIFICATIONS, TaskLimits};
use crate::tasks::store::{MemoryTaskStore, TaskRecord, TaskStore};
use crate::tasks::types::{CANCEL, GET, NOTIFICATION, TASK_IDS, TaskParams, UPDATE, UpdateParams};
use crate::tasks::{ID, TaskState};

/// The extension `io.modelcontextprotocol/tasks` of a server, with the store of its tasks; added by
/// [`ServerBuilder::extension`]. Clones share the store; settings are those of a clone alone.
///
/// It is offered in the stateless era (2026-07-28). Tools whose calls may become tasks have
/// `with(`[`Task`](super::Task)`::…)`. It serves `tasks/get`, `tasks/update` and `tasks/cancel`, to the
/// principal who made the call, with the scopes that the call needed, and announces changes to subscriptions
/// to `taskIds` (ext-tasks, "Task Status Notifications").
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

/// What the clones of [`Tasks`] share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) records: Records,
    pub(super) limits: TaskLimits,
    pub(super) grace: Duration,
    pub(super) identify: Option<Arc<Identify>>,
    pub(super) process: Arc<Process>,
}

/// Gives a call that runs again the identity of its principal; `None` if there is none any more.
pub(super) type Identify = dyn Fn(&str, &mut DetachedRequest) -> Option<()> + Send + Sync;

impl Tasks {
    /// Tasks that are kept in memory.
    #[must_use]
    pub fn memory() -> Self {
        Self::new(MemoryTaskStore::new())
    }

    /// Tasks that are kept in `store`.
    #[must_use]
    pub fn new(store: impl TaskStore) -> Self {
        Self(Arc::new(Shared {
            records: Records::new(store),
            limits: TaskLimits::default(),
            grace: GRACE,
            identify: None,
            process: Arc::default(),
        }))
    }

    /// The extension of a client, whose calls follow tasks to their end.
    #[must_use]
    pub fn client() -> TasksClient {
        TasksClient::new()
    }

    /// Replaces the limits.
    #[must_use]
    pub fn limits(mut self, limits: TaskLimits) -> Self {
        Arc::make_mut(&mut self.0).limits = limits;
        self
    }

    /// The time for which a server that shuts down waits for its tasks; 5 seconds by default. Tasks
    /// that are not done then are those of a runner that has [stopped](TaskStore::take).
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        Arc::make_mut(&mut self.0).grace = grace;
        self
    }

    /// Sets how a call that [runs again](super::Task::restart) gets the identity of its principal, which is not
    /// kept: `identify` gets the name of the principal, and inserts what handlers take as the identity. A task
    /// for which it returns `None` fails, as do all tasks of principals without it.
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

    /// The task of the caller with this id; another's does not exist.
    async fn find(&self, id: &str, cx: &Context) -> Result<Arc<TaskRecord>, ProtocolError> {
        let record = self.0.records.store.load(id).await.map_err(unavailable)?;
        let is_callers = |it: &Arc<TaskRecord>| it.principal.as_deref() == cx.principal();
        let record = record.filter(is_callers).ok_or_else(unknown)?;
        let scopes: Vec<_> = record.scopes.iter().map(String::as_str).collect();
        if !scopes.is_empty() {
            cx.require_scopes(&scopes)?;
        }
        Ok(record)
    }

    async fn update(&self, update: UpdateParams, cx: &Context) -> Result<(), ProtocolError> {
        self.find(&update.task_id, cx).await?;
        let mut answers = update.input_responses;
        if !answers.values().all(RawJson::is_object) {
            let reason = "invalid value at params.inputResponses: each response must be an object";
            return Err(ProtocolError::new(code::INVALID_PARAMS, reason));
        }
        let answered = self.0.records.edit(&update.task_id, |record| {
            answer(record, &mut answers).then_some(())
        });
        answered.await.map_err(unavailable)?;
        Ok(())
    }

    async fn cancel(&self, id: &str, cx: &Context) -> Result<(), ProtocolError> {
        self.find(id, cx).await?;
        let cancelled = self.0.records.edit(id, |record| {
            let runs = !record.state.is_final();
            runs.then(|| record.end(TaskState::Cancelled, Some("cancelled by the client".into())))
        });
        cancelled.await.map_err(unavailable)?;
        Ok(())
    }
}

/// Takes the answers to questions that are open; others are ignored. Returns whether there were any.
fn answer(record: &mut TaskRecord, answers: &mut OrderedMap<RawJson>) -> bool {
    let before = record.questions.len();
    for (key, answer) in answers.iter() {
        if record.questions.shift_remove(key).is_some() {
            record.answers.insert(key.clone(), answer.clone());
        }
    }
    if record.questions.is_empty() && record.state == TaskState::InputRequired {
        record.state = TaskState::Working;
    }
    record.questions.len() < before
}

impl Extension for Tasks {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        (revision.era() == Era::Stateless).then(JsonObject::new)
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let tasks = Arc::clone(&self);
        server.method(GET, move |params: TaskParams, cx: Context| {
            let tasks = Arc::clone(&tasks);
            async move {
                let found = tasks.find(&params.task_id, &cx).await;
                found.map(|record| record.status())
            }
        });
        let tasks = Arc::clone(&self);
        server.method(UPDATE, move |params: UpdateParams, cx: Context| {
            let tasks = Arc::clone(&tasks);
            async move { tasks.update(params, &cx).await }
        });
        let tasks = Arc::clone(&self);
        server.method(CANCEL, move |params: TaskParams, cx: Context| {
            let tasks = Arc::clone(&tasks);
            async move { tasks.cancel(&params.task_id, &cx).await }
        });
        let tasks = Arc::clone(&self);
        server.on_start_with(move |server| {
            tasks.started(server);
            async {}
        });
        server.on_shutdown(move || {
            let tasks = Arc::clone(&self);
            async move { tasks.stopped().await }
        });
    }

    fn listen(
        &self,
        wanted: &JsonObject,
        cx: &Context,
    ) -> Result<Option<BoxFuture<Listening>>, ProtocolError> {
        let Some(ids) = wanted.get(TASK_IDS) else {
            return Ok(None);
        };
        cx.require_extension(ID)?;
        let ids: Vec<String> = serde_json::from_value(ids.clone()).map_err(|_| {
            let reason = "invalid value at params.notifications.taskIds: expected a list of ids";
            ProtocolError::new(code::INVALID_PARAMS, reason)
        })?;
        let (tasks, cx) = (self.clone(), cx.clone());
        Ok(Some(Box::pin(
            async move { tasks.subscribe(ids, &cx).await },
        )))
    }
}

impl Tasks {
    /// Announces changes of those of the tasks that exist and are the caller's.
    async fn subscribe(&self, mut ids: Vec<String>, cx: &Context) -> Listening {
        let (sender, notifications) = mpsc::channel(QUEUED_NOTIFICATIONS);
        ids.sort_unstable();
        ids.dedup();
        let mut accepted = Vec::new();
        for id in ids.into_iter().take(MAX_SUBSCRIBED) {
            if let Ok(record) = self.find(&id, cx).await {
                let announced = announce(self.0.records.clone(), record, sender.clone());
                tokio::spawn(announced);
                accepted.push(id);
            }
        }
        let accepted = JsonObject::from_iter([(TASK_IDS.to_owned(), json!(accepted))]);
        Listening::new(accepted, notifications)
    }
}

/// Announces each change of a task, until it ends or nobody listens.
async fn announce(
    records: Records,
    mut last: Arc<TaskRecord>,
    listener: mpsc::Sender<ExtensionNotification>,
) {
    while !last.state.is_final() {
        let changed = tokio::select! {
            changed = records.store.changed(&last.id, last.version) => changed,
            () = listener.closed() => return,
        };
        let next = match changed {
            Ok(()) => records.store.load(&last.id).await,
            Err(error) => Err(error),
        };
        match next {
            Ok(Some(next)) => last = next,
            Ok(None) => return,
            Err(error) => return tracing::warn!(%error, "a subscription to a task ends"),
        }
        let Ok(serde_json::Value::Object(status)) = serde_json::to_value(last.status()) else {
            return;
        };
        let news = ExtensionNotification::new(NOTIFICATION, status);
        if listener.send(news).await.is_err() {
            return;
        }
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
