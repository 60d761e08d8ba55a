//! Follows a task to its end.

use std::collections::HashSet;
use std::mem::take;
use std::pin::pin;
use std::time::Duration;

use mcp_runtime::client::{Subscription, TransportState};
use mcp_runtime::types::{
    CallToolRequest, ErrorObject, InputRequest, OrderedMap, RawJson, Request, SubscriptionFilter,
};
use mcp_runtime::{CallError, Client};
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use super::extension::{cancel, unfit};
use crate::tasks::limits::{
    LATE, MAX_POLL_INTERVAL, MIN_POLL_INTERVAL, POLL_INTERVAL, SUBSCRIBED_INTERVALS,
};
use crate::tasks::types::{
    GetTask, NOTIFICATION, TASK_IDS, TaskParams, UpdateParams, UpdateTask, milliseconds,
};
use crate::tasks::{TaskState, TaskStatus};

pub(super) struct Follower {
    client: Client,
    status: TaskStatus,
    /// When this client learned of the task.
    since: Instant,
    answered: HashSet<String>,
    changes: Changes,
    /// The runtime that cancels the task when the follower is dropped, possibly outside the
    /// runtime. `None` to leave the task running.
    pub(super) cancels: Option<Handle>,
}

/// How changes of the task are noticed.
enum Changes {
    NotAsked,
    Subscribed(Subscription),
    Polled,
}

impl Follower {
    pub(super) fn new(client: Client, status: TaskStatus) -> Self {
        Self {
            client,
            status,
            since: Instant::now(),
            answered: HashSet::new(),
            changes: Changes::NotAsked,
            cancels: None,
        }
    }

    pub(super) fn cancel_on_drop(mut self) -> Self {
        self.cancels = Some(Handle::current());
        self
    }

    pub(super) async fn resumed(client: Client, id: String) -> Result<Self, CallError> {
        let status = client
            .request::<GetTask>(TaskParams { task_id: id })
            .await?;
        Ok(Self::new(client, status))
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn status(&self) -> &TaskStatus {
        &self.status
    }

    /// Follows the task to its end, and returns the result of the call.
    pub(super) async fn end(mut self) -> Result<RawJson, CallError> {
        while !self.status.state.is_final() {
            self.next().await?;
        }
        self.cancels = None;
        outcome(take(&mut self.status))
    }

    /// Answers the questions of the task, and waits for its next status.
    pub(super) async fn next(&mut self) -> Result<(), CallError> {
        let asked = self.questions();
        if asked.is_empty() {
            return self.changed().await;
        }
        let keys: Vec<_> = asked.keys().cloned().collect();
        let client = self.client.clone();
        let mut answers = pin!(client.answer(GetTask::METHOD, asked));
        let answers = loop {
            tokio::select! {
                biased;
                answers = &mut answers => break answers,
                changed = self.changed() => {
                    changed?;
                    if self.status.state.is_final() {
                        // The answers are no longer needed.
                        return Ok(());
                    }
                }
            }
        };
        self.answered.extend(keys);
        let update = UpdateParams {
            task_id: self.status.task_id.clone(),
            input_responses: match answers {
                Ok(answers) => answers,
                Err(error) => {
                    cancel(client.clone(), self.status.task_id.clone()).await;
                    return Err(error);
                }
            },
        };
        self.update(update).await?;
        self.changed().await
    }

    /// The questions that have not been answered yet.
    fn questions(&self) -> OrderedMap<InputRequest> {
        let asked = self.status.input_requests.iter();
        let new = asked.filter(|(key, _)| !self.answered.contains(*key));
        new.map(|(key, question)| (key.clone(), question.clone()))
            .collect()
    }

    async fn update(&mut self, update: UpdateParams) -> Result<(), CallError> {
        loop {
            let request = self.client.request::<UpdateTask>(update.clone());
            match request.repeatable(true).await {
                Ok(_) => return Ok(()),
                Err(error) => self.pause_after(error).await?,
            }
        }
    }

    /// Waits until the status may have changed, and gets it.
    async fn changed(&mut self) -> Result<(), CallError> {
        let id = self.status.task_id.clone();
        if matches!(self.changes, Changes::NotAsked) {
            self.changes = subscribed(&self.client, &id).await;
            if matches!(self.changes, Changes::Subscribed(_)) {
                return self.get().await;
            }
        }
        let interval = self.interval();
        let between_polls = self.until_deadline(interval * SUBSCRIBED_INTERVALS);
        let Changes::Subscribed(changes) = &mut self.changes else {
            sleep(self.until_deadline(interval)).await;
            return self.get().await;
        };
        // A subscription may miss a change while it is reopened, so poll as well.
        let poll = pin!(sleep(between_polls));
        let changed = tokio::select! {
            changed = announced(changes, &id) => changed,
            () = poll => return self.get().await,
        };
        match changed {
            Some(status) => self.set(status),
            None => {
                self.changes = Changes::Polled;
                self.get().await
            }
        }
    }

    async fn get(&mut self) -> Result<(), CallError> {
        loop {
            let task_id = self.status.task_id.clone();
            let request = self.client.request::<GetTask>(TaskParams { task_id });
            match request.repeatable(true).await {
                Ok(status) => return self.set(status),
                Err(error) => self.pause_after(error).await?,
            }
        }
    }

    fn set(&mut self, status: TaskStatus) -> Result<(), CallError> {
        if status.task_id != self.status.task_id {
            return Err(unfit(GetTask::METHOD, "it is another task"));
        }
        self.status = status;
        self.check_deadline()
    }

    fn check_deadline(&self) -> Result<(), CallError> {
        // The times of the status don't help: the clock of the server may be set while the task runs.
        let ttl = self.status.ttl_ms.map(Duration::from_millis);
        let is_over = ttl.is_some_and(|ttl| self.since.elapsed() >= ttl.saturating_add(LATE));
        if is_over && !self.status.state.is_final() {
            let ttl = self.status.ttl_ms.unwrap_or_default();
            let reason =
                format!("the server has not ended the task within its time to live of {ttl} ms");
            return Err(unfit(CallToolRequest::METHOD, &reason));
        }
        Ok(())
    }

    /// Shortens a pause that would end after the task's time to live, or after the extra time in
    /// which the server may still end the task.
    fn until_deadline(&self, pause: Duration) -> Duration {
        let Some(ttl) = self.status.ttl_ms.map(Duration::from_millis) else {
            return pause;
        };
        let age = self.since.elapsed();
        let deadline = if age < ttl {
            ttl
        } else {
            ttl.saturating_add(LATE)
        };
        pause
            .min(deadline.saturating_sub(age))
            .max(MIN_POLL_INTERVAL)
    }

    fn interval(&self) -> Duration {
        let suggested = self.status.poll_interval_ms.map(Duration::from_millis);
        let interval = suggested.unwrap_or(POLL_INTERVAL);
        interval.clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL)
    }

    /// Waits after a request that has failed, but may succeed later.
    ///
    /// # Errors
    ///
    /// Returns the error if the request will not succeed.
    async fn pause_after(&self, error: CallError) -> Result<(), CallError> {
        let Some(pause) = retry_after(&error) else {
            return Err(error);
        };
        let transport = self.client.status().transport;
        if matches!(
            transport,
            TransportState::Disconnected | TransportState::Lost
        ) {
            return Err(error);
        }
        tracing::debug!(%error, task = self.status.task_id, "the status of a task is requested again later");
        let pause = pause.clamp(self.interval(), MAX_POLL_INTERVAL);
        sleep(self.until_deadline(pause)).await;
        self.check_deadline()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some(runtime) = self.cancels.take()
            && !self.status.state.is_final()
        {
            let id = take(&mut self.status.task_id);
            runtime.spawn(cancel(self.client.clone(), id));
        }
    }
}

/// The time after which a failed request may be repeated, or `None` if it would fail again.
fn retry_after(error: &CallError) -> Option<Duration> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct RetryAfter {
        #[serde(deserialize_with = "milliseconds")]
        retry_after_ms: Option<u64>,
    }

    match error {
        CallError::Http(error) => {
            let is_passing = matches!(error.status, 408 | 429 | 500 | 502..=504);
            is_passing.then(|| error.retry_after.unwrap_or_default())
        }
        CallError::Rpc(error) => {
            let data: RetryAfter = error.data.as_ref()?.parse().ok()?;
            data.retry_after_ms.map(Duration::from_millis)
        }
        CallError::Timeout { .. }
        | CallError::Closed
        | CallError::NotSent(_)
        | CallError::Lost(_)
        | CallError::SessionEnded
        | CallError::Full => Some(Duration::ZERO),
        _ => None,
    }
}

/// Subscribes to a task, if the server offers subscriptions.
async fn subscribed(client: &Client, id: &str) -> Changes {
    let mut filter = SubscriptionFilter::new();
    filter.extra.insert(TASK_IDS.to_owned(), json!([id]));
    let accepts = |subscription: &Subscription| {
        let accepted = subscription.accepted().extra.get(TASK_IDS);
        let mut accepted = accepted
            .and_then(|ids| ids.as_array())
            .into_iter()
            .flatten();
        accepted.any(|accepted| accepted == id)
    };
    match client.listen(filter).await {
        Ok(subscription) if accepts(&subscription) => Changes::Subscribed(subscription),
        Ok(_) => Changes::Polled,
        Err(error) => {
            tracing::debug!(%error, "the server announces no changes of tasks");
            Changes::Polled
        }
    }
}

/// The next status of a task that is announced, or `None` once the subscription has ended.
async fn announced(changes: &mut Subscription, id: &str) -> Option<TaskStatus> {
    loop {
        let news = changes.next().await.ok()??;
        let Some(params) = news.params_of(NOTIFICATION) else {
            continue;
        };
        match params.parse::<TaskStatus>() {
            Ok(status) if status.task_id == id => return Some(status),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "a malformed status of a task was announced"),
        }
    }
}

fn outcome(status: TaskStatus) -> Result<RawJson, CallError> {
    let reason = |otherwise: &str| {
        status
            .message
            .clone()
            .unwrap_or_else(|| otherwise.to_owned())
    };
    match status.state {
        TaskState::Completed => {
            let missing = || unfit(GetTask::METHOD, "the task is completed, and has no result");
            status.result.ok_or_else(missing)
        }
        TaskState::Failed => {
            let missing = || unfit(GetTask::METHOD, "the task has failed, and has no error");
            Err(status
                .error
                .map_or_else(missing, |error: ErrorObject| error.into()))
        }
        TaskState::Cancelled => Err(CallError::Tool(format!(
            "the task was cancelled: {}",
            reason("no reason is given")
        ))),
        TaskState::Working | TaskState::InputRequired => {
            Err(unfit(GetTask::METHOD, "the task has not ended"))
        }
    }
}
