//! The extension of a server: its methods and subscriptions.

use std::sync::Arc;

use mcp_runtime::BoxFuture;
use mcp_runtime::serde_json::json;
use mcp_runtime::server::{Extension, ExtensionNotification, ExtensionSubscription};
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{JsonObject, OrderedMap, RawJson};
use mcp_runtime::{Context, ProtocolError, Revision, ServerBuilder};
use tokio::sync::mpsc;

use super::Tasks;
use super::records::{Records, unavailable, unknown};
use crate::tasks::limits::{MAX_SUBSCRIBED, QUEUED_NOTIFICATIONS};
use crate::tasks::store::TaskRecord;
use crate::tasks::types::{
    CANCEL, GET, NOTIFICATION, TASK_IDS, TaskParams, UPDATE, UpdateParams, is_offered,
};
use crate::tasks::{ID, TaskState};

impl Tasks {
    /// Finds a task of the caller. Tasks of other callers are unknown.
    async fn find(&self, id: &str, cx: &Context) -> Result<Arc<TaskRecord>, ProtocolError> {
        let record = self.0.records.load(id).await.map_err(unavailable)?;
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

/// Stores the answers to open questions, and ignores others. Returns whether there were any.
fn answer(record: &mut TaskRecord, answers: &mut OrderedMap<RawJson>) -> bool {
    let Some(inputs) = &mut record.inputs else {
        return false;
    };
    let before = inputs.questions.len();
    for (key, answer) in answers.iter() {
        if inputs.questions.shift_remove(key).is_some() {
            inputs.answers.insert(key.clone(), answer.clone());
        }
    }
    let left = inputs.questions.len();
    if left == 0 && record.state == TaskState::InputRequired {
        record.state = TaskState::Working;
    }
    left < before
}

impl Extension for Tasks {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        is_offered(revision).then(JsonObject::new)
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
        server.on_start(move |server| {
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
    ) -> Result<Option<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let Some(ids) = wanted.get(TASK_IDS) else {
            return Ok(None);
        };
        cx.require_extension(ID)?;
        let ids: Vec<String> = serde_json::from_value(ids.clone()).map_err(|_| {
            let reason = "invalid value at params.notifications.taskIds: expected a list of ids";
            ProtocolError::new(code::INVALID_PARAMS, reason)
        })?;
        let tasks = self.clone();
        let cx = cx.clone();
        Ok(Some(Box::pin(
            async move { tasks.subscribe(ids, &cx).await },
        )))
    }
}

impl Tasks {
    /// Announces changes of the tasks that exist and belong to the caller.
    async fn subscribe(&self, mut ids: Vec<String>, cx: &Context) -> ExtensionSubscription {
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
        ExtensionSubscription::new(accepted, notifications)
    }
}

/// Announces each change of a task, until the task or the subscription ends.
async fn announce(
    records: Records,
    mut last: Arc<TaskRecord>,
    listener: mpsc::Sender<ExtensionNotification>,
) {
    while !last.state.is_final() {
        tokio::select! {
            () = records.store.changed(&last.id, last.version) => {}
            () = listener.closed() => return,
        }
        match records.load(&last.id).await {
            Ok(Some(next)) if next.version == last.version => continue,
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
