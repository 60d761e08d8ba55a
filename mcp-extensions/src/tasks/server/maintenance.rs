//! What a process does for all of its tasks: expiry, leases, and the end of the server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::layer::{BoxError, McpResponse};
use mcp_runtime::server::{DetachedCall, DetachedRequest};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};

use super::Tasks;
use super::process::{Left, Phase};
use super::records::{ended, milliseconds};
use super::running::RunningTask;
use crate::tasks::limits::{EXPIRED_KEPT, LAST_WRITES};
use crate::tasks::store::{TaskRecord, TaskStoreError};

/// What is done for a task that nobody works on.
enum Chore {
    Expire,
    /// Nobody knows of the task.
    Remove,
    /// The runner of the task has stopped.
    Recover(Arc<str>),
}

impl Tasks {
    /// Notes that a server with these tasks is served from now on.
    pub(super) fn started(&self, server: Server) {
        self.0.process.set_phase(Phase::Serving);
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
    pub(super) async fn insert(&self, mut task: TaskRecord) -> Result<bool, TaskStoreError> {
        self.maintain();
        // Without a lease, another process would take the task immediately.
        if !self.0.process.state().lease.is_valid() {
            self.renew().await?;
        }
        let expires = task.ttl.map(|ttl| self.0.process.state().lease.expiry(ttl));
        task.expires = expires;
        let limits = self.0.limits;
        let inserted = self.0.records.run(|store| store.insert(task, limits));
        let is_kept = inserted.await?;
        let state = self.0.process.state();
        let is_first = |expires: u64| state.next.is_none_or(|next| expires < next);
        if is_kept && expires.is_some_and(is_first) {
            self.0.process.wake.notify_one();
        }
        Ok(is_kept)
    }

    /// Renews the lease of this process, and finds out which other runners have stopped.
    async fn renew(&self) -> Result<(), TaskStoreError> {
        let process = &self.0.process;
        let (sent, asked) = (process.state().lease.now(), Instant::now());
        let renewed = self
            .0
            .records
            .run(|store| store.renew(&process.runner, sent));
        let renewal = renewed.await?;
        let mut state = process.state();
        state.stopped = state.lease.renewed(renewal, sent, asked);
        Ok(())
    }

    /// Ends what [`started`](Self::started) has begun: waits for the tasks that this process works on, and
    /// leaves those that are not done to others. Fails if the store does, without waiting for it.
    pub(super) async fn stopped(&self) -> Result<(), BoxError> {
        let process = &self.0.process;
        if process.is_served_still() {
            return Ok(());
        }
        let mut working = process.working.subscribe();
        let mut is_done = async |time: Duration| {
            let done = working.wait_for(|ids| ids.is_empty());
            timeout(time, done).await.is_ok()
        };
        let mut unstored = BTreeSet::new();
        let in_time = is_done(self.0.grace).await;
        process.end_maintenance().await;
        if !in_time {
            process.set_phase(Phase::Stopping);
            is_done(LAST_WRITES).await;
            unstored.extend(process.working.borrow().iter().cloned());
        }
        process.set_phase(Phase::Stopped);
        let last_writes = timeout(LAST_WRITES, self.end_lease()).await;
        let error = match last_writes {
            Ok(Ok(())) if unstored.is_empty() => return Ok(()),
            Ok(Ok(())) => String::new(),
            Ok(Err(error)) => format!(": {error}"),
            Err(_) => ": the store did not answer in time".to_owned(),
        };
        unstored.extend(self.left_at_the_end().map(|(id, _)| id));
        Err(not_stored(&unstored, &error).into())
    }

    /// Ends tasks that were left to the maintenance, and the lease.
    async fn end_lease(&self) -> Result<(), TaskStoreError> {
        let mut outcome = Ok(());
        for (id, chore) in self.left_at_the_end() {
            outcome = outcome.and(self.perform(&id, chore, 0).await);
        }
        let (records, runner) = (&self.0.records, &self.0.process.runner);
        outcome.and(records.run(|store| store.release(runner)).await)
    }

    /// What is [left](Self::left) and can't be left to other processes.
    fn left_at_the_end(&self) -> impl Iterator<Item = (Arc<str>, Chore)> {
        let is_shared = self.0.records.lease().is_some();
        let left = self.left().into_iter();
        left.filter(move |(_, chore)| !is_shared || matches!(chore, Chore::Remove))
    }

    async fn maintenance(&self) {
        // The lease does not wait for anything else.
        tokio::join!(self.keep_lease(), self.end_tasks());
    }

    /// Renews the lease of this process all the time, if it needs one.
    async fn keep_lease(&self) {
        let Some(interval) = self.0.process.state().lease.interval() else {
            return;
        };
        let mut failed = Failed::default();
        loop {
            match timeout(2 * interval, self.renew()).await {
                Ok(Ok(())) => failed.clear(),
                Ok(Err(error)) => failed.log(&error, "the lease of this process can't be renewed"),
                Err(error) => failed.log(&error, "the lease of this process can't be renewed"),
            }
            if !self.0.process.state().stopped.is_empty() {
                self.0.process.wake.notify_one();
            }
            tokio::time::sleep(interval).await;
        }
    }

    /// Ends tasks that have expired, and those whose runner has stopped.
    async fn end_tasks(&self) {
        let mut failed = Failed::default();
        loop {
            let outcome = self.end_tasks_once().await;
            let pause = {
                let mut state = self.0.process.state();
                let now = state.lease.now();
                let next = match outcome {
                    Ok(next) => {
                        failed.clear();
                        next
                    }
                    Err(error) => {
                        failed.log(&error, "tasks can't be maintained now");
                        Some(now + milliseconds(RETRY))
                    }
                };
                state.next = next;
                let until_next = next.map(|next| next.saturating_sub(now).max(10));
                let until_next = until_next.map(Duration::from_millis);
                state.lease.interval().into_iter().chain(until_next).min()
            };
            tokio::select! {
                () = self.0.process.wake.notified() => {}
                () = tokio::time::sleep(pause.unwrap_or(Duration::MAX)) => {}
            }
        }
    }

    /// Ends or deletes tasks that have expired, and takes those whose runner has stopped. Returns the
    /// time at which there is more to do. What fails here is tried again in the next pass.
    async fn end_tasks_once(&self) -> Result<Option<u64>, TaskStoreError> {
        let (process, records) = (&self.0.process, &self.0.records);
        if records.lease().is_none() {
            self.renew().await?;
        }
        let (now, stopped) = {
            let state = process.state();
            (state.lease.now(), state.stopped.clone())
        };
        let mut failed = None;
        let mut chores = self.left();
        for runner in stopped {
            match records.run(|store| store.unfinished(&runner)).await {
                Ok(ids) if ids.is_empty() => {
                    let released = records.run(|store| store.release(&runner)).await;
                    failed = released.err().or(failed);
                }
                Ok(ids) => chores.extend(self.readable(ids, &runner)),
                Err(error) => failed = Some(error),
            }
        }
        let due = records.run(|store| store.due(now)).await;
        let (due, mut next) = due.unwrap_or_else(|error| {
            failed = Some(error);
            Default::default()
        });
        if !due.is_empty() {
            // There may be more of them.
            next = Some(now);
        }
        chores.extend(due.into_iter().map(|id| (id, Chore::Expire)));
        for (id, chore) in chores {
            failed = self.perform(&id, chore, now).await.err().or(failed);
        }
        failed.map_or(Ok(next), Err)
    }

    /// What is to be done for tasks of this process on which it does not work.
    fn left(&self) -> Vec<(Arc<str>, Chore)> {
        let state = self.0.process.state();
        let chore = |left: &Left| match left {
            Left::Remove => Chore::Remove,
            Left::Recover => Chore::Recover(Arc::clone(&self.0.process.runner)),
        };
        let left = state.left.iter();
        left.map(|(id, left)| (Arc::clone(id), chore(left)))
            .collect()
    }

    /// What is to be done for these tasks of a runner that has stopped, without those that can't be read.
    fn readable(&self, ids: Vec<Arc<str>>, runner: &Arc<str>) -> Vec<(Arc<str>, Chore)> {
        let state = self.0.process.state();
        let readable = ids.into_iter().filter(|id| !state.unreadable.contains(id));
        let recover = readable.map(|id| (id, Chore::Recover(Arc::clone(runner))));
        recover.collect()
    }

    async fn perform(&self, id: &Arc<str>, chore: Chore, now: u64) -> Result<(), TaskStoreError> {
        let outcome = match chore {
            Chore::Expire => self.expire(id, now).await,
            Chore::Remove => self.0.records.run(|store| store.remove(id)).await,
            Chore::Recover(runner) => return self.recover(id, &runner).await,
        };
        if outcome.is_ok() {
            self.0.process.state().left.remove(id);
        }
        outcome
    }

    /// Ends a task that has expired, or deletes it if it has ended or can't be read.
    async fn expire(&self, id: &str, now: u64) -> Result<(), TaskStoreError> {
        let mut is_over = true;
        let failed = self.0.records.edit(id, |record| {
            // Another process may have done this already, and keeps the task for some minutes.
            is_over = record.expires.is_some_and(|expires| expires <= now);
            let fails = is_over && !record.state.is_final();
            fails.then(|| {
                record.fail(ended("it was not done within its time to live"));
                record.expires = Some(now + milliseconds(EXPIRED_KEPT));
            })
        });
        match failed.await {
            Ok(None) if is_over => {}
            Err(TaskStoreError::Unreadable(_)) => {}
            outcome => return outcome.map(drop),
        }
        self.0.records.run(|store| store.remove(id)).await?;
        self.0.process.state().unreadable.remove(id);
        Ok(())
    }

    /// Goes on with a task whose runner has stopped: runs its call again, or ends it.
    async fn recover(&self, id: &Arc<str>, stopped: &str) -> Result<(), TaskStoreError> {
        let process = &self.0.process;
        let is_stopped = |runner: &Arc<str>| **runner == *stopped;
        if *stopped != *process.runner && !process.state().stopped.iter().any(is_stopped) {
            // It has renewed its lease since.
            return Ok(());
        }
        // If this fails, the task may nevertheless be one of this process.
        process.state().left.insert(Arc::clone(id), Left::Recover);
        let recovered = self.0.records.edit(id, |record| {
            let is_left = !record.state.is_final() && record.runner.as_deref() == Some(stopped);
            is_left.then(|| match self.repeated(record) {
                Some(call) => {
                    record.runner = Some(Arc::clone(&process.runner));
                    Some((RunningTask::new(self.clone(), record), call))
                }
                None => {
                    record.fail(ended("the server stopped while it worked on it"));
                    None
                }
            })
        });
        let recovered = match recovered.await {
            Err(error @ TaskStoreError::Unreadable(_)) => {
                process.report_unreadable(id, &error);
                None
            }
            recovered => recovered?,
        };
        process.state().left.remove(id);
        if let Some(Some((running, (server, request)))) = recovered {
            let call: Arc<dyn DetachedCall> = Arc::clone(&running) as _;
            let work = async move {
                let result = server.call_detached(request, call).await?;
                Ok(McpResponse::of(&result)?)
            };
            tokio::spawn(running.run(Box::pin(work), None));
        }
        Ok(())
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

/// Says what a store that has failed has not stored.
fn not_stored(ids: &BTreeSet<Arc<str>>, error: &str) -> String {
    let named = ids.iter().take(NAMED).map(|id| &**id);
    let named = named.collect::<Vec<_>>().join(", ");
    let tasks = match ids.len() {
        0 => "the lease of this process could not be ended".to_owned(),
        count @ ..=NAMED => format!("the end of {count} tasks could not be stored ({named})"),
        count => format!("the end of {count} tasks could not be stored ({named}, …)"),
    };
    format!("{tasks}{error}")
}

/// A fault that lasts, which is logged once.
#[derive(Default)]
struct Failed(String);

impl Failed {
    fn log(&mut self, error: &impl ToString, what: &str) {
        let error = error.to_string();
        if error != self.0 {
            tracing::error!(error, "{what}");
        }
        self.0 = error;
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The number of tasks that an error names.
const NAMED: usize = 20;

/// The time after which a store that has failed is used again.
const RETRY: Duration = Duration::from_secs(1);
