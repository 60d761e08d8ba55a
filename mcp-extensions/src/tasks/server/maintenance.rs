//! What a process does for all of its tasks: expiry, leases, and the end of the server.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::layer::McpResponse;
use mcp_runtime::server::{DetachedCall, DetachedRequest};
use tokio::runtime::Handle;

use super::Tasks;
use super::records::{ended, milliseconds};
use super::running::RunningTask;
use crate::tasks::limits::EXPIRED_KEPT;
use crate::tasks::store::{TaskRecord, TaskStoreError};

impl Tasks {
    /// Notes that a server with these tasks is served from now on.
    pub(super) fn started(&self, server: Server) {
        self.0.process.set_stopping(false);
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
            state.runtime = Some(Handle::current());
        }
    }

    /// Keeps a new task. Returns false where it would exceed the limits.
    pub(super) async fn insert(&self, task: TaskRecord) -> Result<bool, TaskStoreError> {
        // Without a lease, another process would take the task at once.
        if !self.0.process.state().is_leased {
            self.renew(false).await?;
        }
        let expires = task.expires;
        let is_kept = self.0.records.store.insert(task, self.0.limits).await?;
        self.maintain();
        let state = self.0.process.state();
        let is_first = |expires: u64| state.next.is_none_or(|next| expires < next);
        if is_kept && expires.is_some_and(is_first) {
            self.0.process.created.notify_one();
        }
        Ok(is_kept)
    }

    /// Renews the lease of this process, or ends it.
    async fn renew(&self, ends: bool) -> Result<(), TaskStoreError> {
        let renewed = self.0.records.store.renew(&self.0.process.runner, ends);
        renewed.await?;
        self.0.process.state().is_leased = !ends;
        Ok(())
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
            self.0.process.set_stopping(true);
            // They stop at once.
            let _ = working.wait_for(|count| *count == 0).await;
        }
        self.0.process.end();
        if let Err(error) = self.renew(true).await {
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
            self.renew(false).await?;
            for record in store.take(runner).await? {
                self.recover(&record).await?;
            }
        }
        let now = self.0.records.now();
        let (due, next) = store.due(now).await?;
        // There may be more of them, but the lease goes first.
        let next = if due.is_empty() { next } else { Some(now) };
        for id in due {
            self.expire(&id, now).await?;
        }
        Ok(next)
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
            tokio::spawn(running.run(Box::pin(work), None));
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
