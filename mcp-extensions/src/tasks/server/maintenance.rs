//! Maintains all tasks of a process: expiry, leases, and the shutdown of the server.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::layer::{BoxError, McpResponse};
use mcp_runtime::server::{DetachedCall, DetachedRequest};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};

use super::Tasks;
use super::process::{Left, Phase};
use super::records::{ended, late, milliseconds};
use super::running::RunningTask;
use crate::tasks::limits::{EXPIRED_KEPT, FIRST_RETRY_PAUSE, LAST_WRITES, NAMED_TASKS};
use crate::tasks::lock;
use crate::tasks::store::{TaskRecord, TaskStoreError};

impl Tasks {
    /// Records that a server with these tasks is being served.
    pub(super) fn started(&self, server: Server) {
        self.0.process.phase.send_replace(Phase::Serving);
        let mut state = self.0.process.state();
        state.served += 1;
        state.server = Some(server);
        drop(state);
        self.maintain();
    }

    /// Starts the maintenance of all tasks, unless it is already running.
    pub(super) fn maintain(&self) {
        let mut state = self.0.process.state();
        if state.maintenance.is_none() {
            let tasks = self.clone();
            let interval = state.lease.interval();
            state.maintenance = Some(tokio::spawn(async move {
                // Nothing else may delay the renewal of the lease.
                tokio::join!(tasks.keep_lease(interval), tasks.end_tasks(interval));
            }));
            state.runtime = Some(Handle::current());
        }
    }

    /// Stores a new task. Returns false if it would exceed the limits.
    pub(super) async fn insert(&self, mut task: TaskRecord) -> Result<bool, TaskStoreError> {
        self.maintain();
        // Without a lease, another process would take over the task immediately.
        if !self.0.process.state().lease.is_valid() {
            self.renew().await?;
        }
        let expires = task.ttl.map(|ttl| self.0.process.state().lease.expiry(ttl));
        task.expires = expires;
        let inserted = self
            .0
            .records
            .run(|store| store.insert(task, self.0.limits));
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
        let sent = process.state().lease.now();
        let asked = Instant::now();
        let renewed = self
            .0
            .records
            .run(|store| store.renew(&process.runner, sent));
        let renewal = renewed.await?;
        let mut state = process.state();
        state.stopped = state.lease.renewed(renewal, sent, asked);
        if !state.stopped.is_empty() {
            process.wake.notify_one();
        }
        Ok(())
    }

    /// Ends what [`started`](Self::started) has begun: waits for the tasks that this process works
    /// on, and leaves unfinished tasks to other processes. If the store fails, returns an error
    /// without waiting for it.
    pub(super) async fn stopped(&self) -> Result<(), BoxError> {
        let process = &self.0.process;
        if process.is_served_still() {
            return Ok(());
        }
        let mut working = process.working.subscribe();
        let mut is_done = async |time: Duration| {
            let done = working.wait_for(HashSet::is_empty);
            timeout(time, done).await.is_ok()
        };
        let in_time = is_done(self.0.grace).await;
        process.end_maintenance().await;
        let mut unstored = BTreeSet::new();
        if !in_time {
            process.phase.send_replace(Phase::Stopping);
            is_done(LAST_WRITES).await;
            unstored.extend(process.working.borrow().iter().cloned());
        }
        process.phase.send_replace(Phase::Stopped);
        let outcome = timeout(LAST_WRITES, self.end_lease()).await;
        let outcome = outcome.unwrap_or_else(late);
        if outcome.is_err() {
            unstored.extend(process.state().left.keys().cloned());
        }
        if unstored.is_empty() {
            return Ok(outcome?);
        }
        let named: Vec<_> = unstored.iter().take(NAMED_TASKS).map(|id| &**id).collect();
        let count = unstored.len();
        let named = named.join(", ");
        Err(format!("the store failed; tasks whose end was not stored ({count}): {named}").into())
    }

    /// Ends tasks that can't be left to other processes, and then the lease.
    async fn end_lease(&self) -> Result<(), TaskStoreError> {
        let records = &self.0.records;
        let runner = &self.0.process.runner;
        let mut outcome = Ok(());
        for (id, left) in self.0.process.left() {
            if left == Left::Remove || records.store.lease().is_none() {
                outcome = outcome.and(self.settle(&id, left).await);
            }
        }
        outcome.and(records.run(|store| store.release(runner)).await)
    }

    async fn keep_lease(&self, interval: Option<Duration>) {
        let Some(interval) = interval else { return };
        loop {
            let renewed = timeout(2 * interval, self.renew()).await;
            if let Err(error) = renewed.unwrap_or_else(late) {
                tracing::error!(%error, "the lease of this process can't be renewed now");
            }
            tokio::time::sleep(interval).await;
        }
    }

    /// Regularly ends tasks that have expired, and tasks that no process works on.
    async fn end_tasks(&self, interval: Option<Duration>) {
        loop {
            let next = self.end_tasks_once().await;
            let pause = {
                let mut state = self.0.process.state();
                let now = state.lease.now();
                state.next = next.unwrap_or_else(|error| {
                    tracing::error!(%error, "tasks can't be maintained now");
                    Some(now + milliseconds(FIRST_RETRY_PAUSE))
                });
                let until_next = state.next.map(|next| next.saturating_sub(now).max(10));
                let until_next = until_next.map(Duration::from_millis);
                interval.into_iter().chain(until_next).min()
            };
            let pause = tokio::time::sleep(pause.unwrap_or(Duration::MAX));
            tokio::select! {
                () = self.0.process.wake.notified() => {}
                () = pause => {}
            }
        }
    }

    /// Makes one pass, and returns the time of the next one. Operations that fail are tried again
    /// then.
    async fn end_tasks_once(&self) -> Result<Option<u64>, TaskStoreError> {
        let process = &self.0.process;
        let records = &self.0.records;
        if records.store.lease().is_none() {
            self.renew().await?;
        }
        let (now, stopped) = {
            let state = process.state();
            (state.lease.now(), state.stopped.clone())
        };
        let mut outcome = Ok(());
        for (id, left) in process.left() {
            outcome = self.settle(&id, left).await.and(outcome);
        }
        for runner in stopped {
            outcome = self.recover_all(&runner).await.and(outcome);
        }
        let (due, next) = records.run(|store| store.due(now)).await?;
        // If tasks were due, there may be more of them.
        let next = if due.is_empty() { next } else { Some(now) };
        for id in due {
            outcome = self.expire(&id, now).await.and(outcome);
        }
        outcome.map(|()| next)
    }

    /// Ends a task that has expired, or deletes it if it has ended or can't be read.
    async fn expire(&self, id: &str, now: u64) -> Result<(), TaskStoreError> {
        let mut is_over = true;
        let failed = self.0.records.edit(id, |record| {
            // Another process may have ended the task already, and keeps it for some minutes.
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
        lock(&self.0.records.unreadable).remove(id);
        Ok(())
    }

    /// Ends a task of this process that it does not work on.
    async fn settle(&self, id: &Arc<str>, left: Left) -> Result<(), TaskStoreError> {
        match left {
            Left::Recover => return self.recover(id, &self.0.process.runner).await,
            Left::Remove => self.0.records.run(|store| store.remove(id)).await?,
        }
        self.0.process.state().left.remove(id);
        Ok(())
    }

    async fn recover_all(&self, stopped: &Arc<str>) -> Result<(), TaskStoreError> {
        let process = &self.0.process;
        let records = &self.0.records;
        let ids = records.run(|store| store.unfinished(stopped)).await?;
        if ids.is_empty() {
            return records.run(|store| store.release(stopped)).await;
        }
        let mut outcome = Ok(());
        for id in ids {
            // The runner may have renewed its lease in the meantime.
            let is_stopped = process.state().stopped.contains(stopped);
            if is_stopped && !lock(&records.unreadable).contains(&id) {
                outcome = self.recover(&id, stopped).await.and(outcome);
            }
        }
        outcome
    }

    /// Recovers a task whose runner has stopped: runs its call again, or ends the task.
    async fn recover(&self, id: &Arc<str>, stopped: &Arc<str>) -> Result<(), TaskStoreError> {
        let process = &self.0.process;
        // If the edit fails, it may nevertheless have made this process the runner.
        process.leave(id, Left::Recover);
        let recovered = self.0.records.edit(id, |record| {
            let is_left = !record.state.is_final() && record.runner.as_ref() == Some(stopped);
            is_left.then(|| {
                let call = self.repeated(record);
                match call {
                    Some(_) => record.runner = Some(Arc::clone(&process.runner)),
                    None => record.fail(ended("the server stopped while it worked on it")),
                }
                call.map(|call| (RunningTask::new(self.clone(), record), call))
            })
        });
        let recovered = match recovered.await {
            Err(TaskStoreError::Unreadable(_)) => None,
            recovered => recovered?.flatten(),
        };
        process.state().left.remove(id);
        if let Some((running, (server, request))) = recovered {
            let call: Arc<dyn DetachedCall> = Arc::clone(&running) as _;
            let work = async move {
                let result = server.call_detached(request, call).await?;
                Ok(McpResponse::of(&result)?)
            };
            tokio::spawn(running.run(Box::pin(work), None));
        }
        Ok(())
    }

    /// The call of a task, if it may run again.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::store::{MemoryTaskStore, TaskStore as _};
    use crate::tasks::{TaskLimits, TaskState};

    #[tokio::test]
    async fn a_task_that_another_process_has_just_ended_is_kept() {
        let store = MemoryTaskStore::new();
        let tasks = Tasks::new(store.clone());
        let task = TaskRecord {
            id: "task".into(),
            state: TaskState::Failed,
            expires: Some(1_000),
            ..TaskRecord::default()
        };
        assert!(store.insert(task, TaskLimits::new()).await.unwrap());
        tasks.expire("task", 999).await.unwrap();
        assert!(store.load("task").await.unwrap().is_some());
        tasks.expire("task", 1_000).await.unwrap();
        assert!(store.load("task").await.unwrap().is_none());
    }
}
