//! What a process does for all of its tasks: expiry, leases, and the end of the server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_runtime::layer::McpResponse;
use mcp_runtime::server::{DetachedCall, DetachedRequest};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::{ProtocolError, Server};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::Tasks;
use super::records::milliseconds;
use super::running::RunningTask;
use crate::tasks::limits::EXPIRED_KEPT;
use crate::tasks::store::{TaskRecord, TaskStoreError};

/// The part of a server's tasks that is this process's own.
pub(super) struct Process {
    /// The name of the process as a runner.
    pub(super) runner: String,
    state: Mutex<State>,
    /// Notified when a task was created that expires before all others.
    created: Notify,
    /// The number of tasks that this process works on.
    working: watch::Sender<usize>,
    /// True once the work on tasks has to stop.
    pub(super) stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    /// The number of times that the server is being served.
    served: usize,
    server: Option<Server>,
    maintenance: Option<JoinHandle<()>>,
    /// The time at which the next task expires, in ms since 1970.
    next: Option<u64>,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            runner: random_id(),
            state: Mutex::default(),
            created: Notify::new(),
            working: watch::Sender::default(),
            stopping: watch::Sender::default(),
        }
    }
}

/// An id that can't be guessed: 128 random bits.
pub(super) fn random_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

/// Counts a task that this process works on, until it is dropped.
pub(super) struct Working(Tasks);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.0.process.working.send_modify(|count| *count -= 1);
    }
}

impl Process {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    /// Notes that the server is served once less. Returns true if it still is.
    fn is_served_still(&self) -> bool {
        let mut state = self.state();
        state.served = state.served.saturating_sub(1);
        state.served > 0
    }

    /// Ends the maintenance, and lets go of the server, which has the tasks.
    fn end(&self) {
        let mut state = self.state();
        state.server = None;
        if let Some(maintenance) = state.maintenance.take() {
            maintenance.abort();
        }
    }
}

impl Tasks {
    /// Begins the work on a task.
    pub(super) fn work(&self) -> Working {
        self.0.process.working.send_modify(|count| *count += 1);
        Working(self.clone())
    }

    /// Notes that a server with these tasks is served from now on.
    pub(super) fn started(&self, server: Server) {
        self.0.process.stopping.send_replace(false);
        let mut state = self.0.process.state();
        state.served += 1;
        state.server = Some(server);
        drop(state);
        self.maintain();
    }

    /// Starts the maintenance, unless it is going on: one task for all.
    pub(super) fn maintain(&self) {
        let mut state = self.0.process.state();
        if state.maintenance.is_none() {
            let tasks = self.clone();
            state.maintenance = Some(tokio::spawn(async move { tasks.maintenance().await }));
        }
    }

    /// Notes that a task was created.
    pub(super) fn created(&self, task: &TaskRecord) {
        self.maintain();
        let state = self.0.process.state();
        let is_first = |expires: u64| state.next.is_none_or(|next| expires < next);
        if task.expires.is_some_and(is_first) {
            self.0.process.created.notify_one();
        }
    }

    /// Ends what [`started`](Self::started) has begun: waits for the tasks that this process works on, and
    /// leaves those that are not done to others.
    pub(super) async fn stopped(&self) {
        if self.0.process.is_served_still() {
            return;
        }
        let mut working = self.0.process.working.subscribe();
        let done = working.wait_for(|count| *count == 0);
        if tokio::time::timeout(self.0.grace, done).await.is_err() {
            self.0.process.stopping.send_replace(true);
            // They stop at once.
            let _ = working.wait_for(|count| *count == 0).await;
        }
        self.0.process.end();
        let released = self
            .0
            .records
            .store
            .renew(&self.0.process.runner, true)
            .await;
        if let Err(error) = released {
            tracing::warn!(%error, "tasks that are not done could not be left to others");
        }
    }

    async fn maintenance(&self) {
        // A lease is renewed three times before it is over.
        let interval = self.0.records.store.lease().map(|lease| lease / 3);
        loop {
            let next = match self.maintain_once(interval.is_some()).await {
                Ok(next) => next,
                Err(error) => {
                    tracing::error!(%error, "tasks can't be maintained now");
                    Some(self.0.records.now() + milliseconds(RETRY))
                }
            };
            self.0.process.state().next = next;
            let until_next = next.map(|next| next.saturating_sub(self.0.records.now()));
            let until_next = until_next.map(|time| Duration::from_millis(time.max(1)));
            let pause = interval.into_iter().chain(until_next).min();
            tokio::select! {
                () = self.0.process.created.notified() => {}
                () = tokio::time::sleep(pause.unwrap_or(Duration::MAX)) => {}
            }
        }
    }

    /// Ends or deletes tasks that have expired, and takes those whose runner has stopped. Returns the
    /// time at which the next one expires.
    async fn maintain_once(&self, leases: bool) -> Result<Option<u64>, TaskStoreError> {
        let (store, runner) = (&self.0.records.store, &self.0.process.runner);
        if leases {
            store.renew(runner, false).await?;
            for record in store.take(runner).await? {
                self.recover(&record).await?;
            }
        }
        loop {
            let now = self.0.records.now();
            let (due, next) = store.due(now).await?;
            if due.is_empty() {
                return Ok(next);
            }
            for id in due {
                self.expire(&id, now).await?;
            }
        }
    }

    /// Ends a task that has expired, or deletes it if it has ended.
    async fn expire(&self, id: &str, now: u64) -> Result<(), TaskStoreError> {
        let failed = self.0.records.edit(id, |record| {
            let runs = !record.state.is_final();
            runs.then(|| {
                record.fail(ended("it was not done within its time to live"));
                record.expires = Some(now + milliseconds(EXPIRED_KEPT));
            })
        });
        match failed.await? {
            Some(()) => Ok(()),
            None => self.0.records.store.remove(id).await,
        }
    }

    /// Goes on with a task whose runner has stopped: runs its call again, or ends it.
    async fn recover(&self, task: &TaskRecord) -> Result<(), TaskStoreError> {
        if let Some((server, request)) = self.repeated(task) {
            let running = RunningTask::new(self.clone(), task);
            let call: Arc<dyn DetachedCall> = Arc::clone(&running) as _;
            let work = async move {
                let result = server.call_detached(request, call).await?;
                Ok(McpResponse::of(&result)?)
            };
            tokio::spawn(running.run(work, None));
            return Ok(());
        }
        let failed = self.0.records.edit(&task.id, |record| {
            let runs = !record.state.is_final();
            runs.then(|| record.fail(ended("the server stopped while it worked on it")))
        });
        failed.await.map(drop)
    }

    /// The call of a task, if it may be made again.
    fn repeated(&self, task: &TaskRecord) -> Option<(Server, DetachedRequest)> {
        let call = task.call.as_deref()?;
        let server = self.0.process.state().server.clone()?;
        let arguments = call.arguments.clone();
        let mut request = DetachedRequest::new(&*call.tool, arguments, call.revision);
        request.capabilities = call.capabilities.clone();
        request.client_info.clone_from(&call.client);
        if let Some(principal) = &task.principal {
            let identify = self.0.identify.as_ref()?;
            identify(principal, &mut request)?;
        }
        Some((server, request))
    }
}

/// The time after which a store that has failed is used again.
const RETRY: Duration = Duration::from_secs(1);

/// The error of a task that ended before its call did.
fn ended(reason: &str) -> ProtocolError {
    ProtocolError::new(
        code::INTERNAL_ERROR,
        format!("the task was ended: {reason}"),
    )
}
