//! Runs tasks in this process.

use std::sync::{Arc, Mutex, Weak};

use mcp_runtime::BoxFuture;
use mcp_runtime::ProtocolError;
use mcp_runtime::layer::{BoxError, McpResponse, TooManyRequests};
use mcp_runtime::server::{Detached, DetachedCall};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{InputRequest, OrderedMap, RawJson};

use super::Tasks;
use super::process::Phase;
use super::records::{Retry, ended, unavailable, whole};
use crate::tasks::TaskState;
use crate::tasks::limits::{FINISH_ATTEMPTS, PROGRESS_INTERVAL};
use crate::tasks::lock;
use crate::tasks::store::{TaskRecord, TaskStoreError};

pub(super) type Outcome = Result<McpResponse, BoxError>;

/// A task that this process works on. The progress and questions of its function are stored.
pub(super) struct RunningTask {
    tasks: Tasks,
    id: Arc<str>,
    /// The values of `Context::once`, if the call may run again.
    values: Option<Box<Mutex<OrderedMap<RawJson>>>>,
    progress: Mutex<Progress>,
    this: Weak<Self>,
}

#[derive(Default)]
struct Progress {
    /// The newest message, until it is stored.
    message: Option<String>,
    is_being_stored: bool,
}

impl RunningTask {
    pub(super) fn new(tasks: Tasks, record: &TaskRecord) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            tasks,
            id: Arc::clone(&record.id),
            values: record.call.as_ref().map(|_| {
                let inputs = record.inputs.as_deref().cloned();
                Box::new(inputs.unwrap_or_default().values.into())
            }),
            progress: Mutex::default(),
            this: this.clone(),
        })
    }

    /// Works on the task until its function returns, or until the task is ended elsewhere.
    pub(super) fn run(
        self: Arc<Self>,
        mut work: BoxFuture<Outcome>,
        detached: Option<Detached>,
    ) -> impl Future<Output = ()> + Send {
        let process = Arc::clone(&self.tasks.0.process);
        let mut working = process.work(&self.id);
        async move {
            let outcome = tokio::select! {
                biased;
                outcome = &mut work => Some(outcome),
                () = self.is_ended() => None,
                () = process.reached(Phase::Stopping) => None,
            };
            drop(work);
            // Boxed, because many tasks wait here, and their futures should be small.
            working.is_done = Box::pin(async {
                tokio::select! {
                    biased;
                    is_done = self.finish(outcome) => is_done,
                    () = process.reached(Phase::Stopped) => false,
                }
            })
            .await;
            drop((working, detached));
        }
    }

    /// Waits until the task was ended elsewhere, or another process works on it.
    async fn is_ended(&self) {
        let records = &self.tasks.0.records;
        let mut retry = Retry::default();
        loop {
            let ended = records.wait_for(&self.id, |record| (!self.runs(record)).then_some(()));
            match ended.await {
                // If this process can't read the record, it can't end the task either.
                Ok(_) | Err(TaskStoreError::Unreadable(_)) => return,
                Err(error) => tracing::warn!(%error, id = &*self.id, "a task can't be watched now"),
            }
            Box::pin(retry.pause()).await;
        }
    }

    fn runs(&self, record: &TaskRecord) -> bool {
        let runner = &self.tasks.0.process.runner;
        !record.state.is_final() && record.runner.as_ref() == Some(runner)
    }

    /// Stores messages of progress, always the newest one, until there are no more.
    async fn store_progress(self: Arc<Self>) {
        while let Some(message) = self.next_message() {
            let stored = self.edit(|record| {
                self.runs(record)
                    .then(|| record.message = Some(message.clone()))
            });
            if let Err(error) = stored.await {
                tracing::warn!(%error, "the progress of a task could not be stored");
            }
            tokio::time::sleep(PROGRESS_INTERVAL).await;
        }
    }

    fn next_message(&self) -> Option<String> {
        let mut progress = lock(&self.progress);
        let message = progress.message.take();
        progress.is_being_stored = message.is_some();
        message
    }

    /// Stores the end of the task. Without an outcome, stores it only if no other process can
    /// continue the task. Returns false if the task is left as it is.
    async fn finish(&self, outcome: Option<Outcome>) -> bool {
        let Tasks(tasks) = &self.tasks;
        let outcome = match outcome {
            Some(outcome) => outcome,
            None if *tasks.process.phase.borrow() == Phase::Serving => return true,
            None if tasks.records.store.lease().is_some() => return false,
            None => Err(ended("the server was shut down").into()),
        };
        let outcome = outcome.and_then(|response| Ok(result(&response)?));
        let outcome = outcome.map_err(as_protocol);
        let finished = || {
            self.edit(|record| {
                match &outcome {
                    Ok(result) => {
                        record.end(TaskState::Completed, None);
                        record.result = Some(result.clone());
                    }
                    Err(error) => record.fail(error.clone()),
                }
                Some(())
            })
        };
        let mut retry = Retry::default();
        for _ in 0..FINISH_ATTEMPTS {
            match finished().await {
                Ok(_) | Err(TaskStoreError::Unreadable(_)) => return true,
                Err(error) => {
                    tracing::error!(%error, id = &*self.id, "the result of a task can't be stored now");
                }
            }
            retry.pause().await;
        }
        tracing::error!(id = &*self.id, "the result of a task is lost");
        false
    }

    /// Changes the task unless it has ended.
    async fn edit<T>(
        &self,
        mut change: impl FnMut(&mut TaskRecord) -> Option<T>,
    ) -> Result<Option<T>, TaskStoreError> {
        let edited = self.tasks.0.records.edit(&self.id, |record| {
            let runs = !record.state.is_final();
            runs.then(|| change(record)).flatten()
        });
        edited.await
    }
}

fn result(response: &McpResponse) -> serde_json::Result<RawJson> {
    let json = response.json()?.unwrap_or_default().into_owned();
    RawJson::from_text(json).map(whole)
}

/// The error that the plain call would have returned.
pub(super) fn as_protocol(error: BoxError) -> ProtocolError {
    match error.downcast::<ProtocolError>() {
        Ok(error) => *error,
        Err(error) => {
            let message = if error.is::<TooManyRequests>() {
                error.to_string()
            } else {
                "Internal error".to_owned()
            };
            tracing::error!(%error, "the call of a task failed");
            ProtocolError::new(code::INTERNAL_ERROR, message)
        }
    }
}

impl DetachedCall for RunningTask {
    fn ask(&self, key: String, request: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>> {
        let tasks = self.tasks.clone();
        let id = self.id.clone();
        Box::pin(async move { tasks.ask(&id, &key, request).await })
    }

    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let amount = match total {
            Some(total) => format!("{done} of {total}"),
            None => done.to_string(),
        };
        let message = match message {
            "" => amount,
            message => format!("{message} ({amount})"),
        };
        let mut progress = lock(&self.progress);
        progress.message = Some(message);
        if !progress.is_being_stored
            && let Some(runtime) = &self.tasks.0.process.state().runtime
            && let Some(this) = self.this.upgrade()
        {
            progress.is_being_stored = true;
            runtime.spawn(this.store_progress());
        }
    }

    fn kept(&self, key: &str) -> Option<RawJson> {
        lock(self.values.as_ref()?).get(key).cloned()
    }

    fn keep(&self, key: &str, value: &RawJson) -> BoxFuture<Result<(), ProtocolError>> {
        let Some(values) = &self.values else {
            return Box::pin(std::future::ready(Ok(())));
        };
        lock(values).insert(key.to_owned(), value.clone());
        let tasks = self.tasks.clone();
        let id = self.id.clone();
        let key = key.to_owned();
        let value = value.clone();
        Box::pin(async move {
            let kept = tasks.0.records.edit(&id, |record| {
                let inputs = record.inputs.get_or_insert_default();
                inputs.values.insert(key.clone(), value.clone());
                Some(())
            });
            kept.await.map(drop).map_err(unavailable)
        })
    }
}

impl Tasks {
    /// Asks the client of a task, and waits for the answer, which may already be stored.
    pub(super) async fn ask(
        &self,
        id: &str,
        key: &str,
        request: InputRequest,
    ) -> Result<RawJson, ProtocolError> {
        let answered = |record: &TaskRecord| record.inputs.as_ref()?.answers.get(key).cloned();
        let asked = self.0.records.edit(id, |record| {
            let is_new = !record.state.is_final() && answered(record).is_none();
            is_new.then(|| {
                record.state = TaskState::InputRequired;
                let inputs = record.inputs.get_or_insert_default();
                inputs.questions.insert(key.to_owned(), request.clone());
            })
        });
        asked.await.map_err(unavailable)?;
        let mut withdrawn = Withdrawn(Some((self.clone(), id.to_owned(), key.to_owned())));
        let answer = self.0.records.wait_for(id, |record| {
            let ended = || record.state.is_final().then_some(None);
            answered(record).map(Some).or_else(ended)
        });
        let answer = answer.await.map_err(unavailable)?.flatten();
        withdrawn.0 = None;
        answer.ok_or_else(|| ProtocolError::new(code::INTERNAL_ERROR, "the task has ended"))
    }
}

/// Withdraws a question whose future is dropped, such as the slower branch of a `select!`.
struct Withdrawn(Option<(Tasks, String, String)>);

impl Drop for Withdrawn {
    fn drop(&mut self) {
        let Some((tasks, id, key)) = self.0.take() else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let withdrawn = tasks.0.records.edit(&id, |record| {
                let questions = &mut record.inputs.as_mut()?.questions;
                questions.shift_remove(&key)?;
                if questions.is_empty() && record.state == TaskState::InputRequired {
                    record.state = TaskState::Working;
                }
                Some(())
            });
            if let Err(error) = withdrawn.await {
                tracing::warn!(%error, "a question of a task could not be withdrawn");
            }
        });
    }
}
