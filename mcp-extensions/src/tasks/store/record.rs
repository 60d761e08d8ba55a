//! What is kept of a task.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use mcp_runtime::Revision;
use mcp_runtime::input::KeptInputs;
use mcp_runtime::types::{
    ClientCapabilities, ErrorObject, Implementation, InputRequest, OrderedMap, RawJson,
};
use serde::{Deserialize, Serialize};

use crate::tasks::limits::{RECORD_BYTES, TaskLimits};
use crate::tasks::{TaskState, TaskStatus};

/// A task as it is kept: its status, and what is needed to go on with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// The identifier.
    pub id: Arc<str>,
    /// The number of the version, which each change increases by 1.
    pub version: u64,
    /// The name of the principal who called; `None` if nobody vouched for one.
    pub principal: Option<String>,
    /// The OAuth scopes that the call needed.
    pub scopes: Vec<String>,
    /// The state.
    pub state: TaskState,
    /// The present step, or the reason of the state.
    pub message: Option<String>,
    /// The time of the creation, in ms since 1970.
    pub created: u64,
    /// The time of the last change, in ms since 1970.
    pub updated: u64,
    /// The lifetime that clients are told, in ms from the creation.
    pub ttl: Option<u64>,
    /// The [time of the store](super::TaskStore#time) at which the task fails, or is deleted if it has
    /// ended; in ms.
    pub expires: Option<u64>,
    /// The suggested time between two requests for the status, in ms.
    pub poll_interval: Option<u64>,
    /// The process that works on the task; `None` for work that is done elsewhere.
    pub runner: Option<Arc<str>>,
    /// What was asked, until the task ends.
    pub inputs: Option<Box<TaskInputs>>,
    /// The call, until the task ends, if it may run again.
    pub call: Option<Box<SavedCall>>,
    /// The result of the call.
    pub result: Option<RawJson>,
    /// The error of the call.
    pub error: Option<Box<ErrorObject>>,
}

/// What the client of a task was asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskInputs {
    /// Questions that are not answered.
    pub questions: OrderedMap<InputRequest>,
    /// Answers.
    pub answers: OrderedMap<RawJson>,
    /// Values of [`Context::once`](mcp_runtime::Context::once), if the task may run again.
    pub values: OrderedMap<RawJson>,
}

/// A call that may run again, in another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments.
    pub arguments: RawJson,
    /// The revision of the protocol.
    pub revision: Revision,
    /// The capabilities of the client.
    pub capabilities: ClientCapabilities,
    /// The client's own name and version.
    pub client: Option<Implementation>,
}

impl TaskRecord {
    /// The status that clients get.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        let questions = self.inputs.as_ref().map(|inputs| &inputs.questions);
        TaskStatus {
            task_id: self.id.to_string(),
            state: self.state,
            message: self.message.clone(),
            created_at: iso_8601(self.created),
            last_updated_at: iso_8601(self.updated),
            ttl_ms: self.ttl,
            poll_interval_ms: self.poll_interval,
            input_requests: questions.cloned().unwrap_or_default(),
            result: self.result.clone(),
            error: self.error.as_deref().cloned(),
        }
    }

    /// Ends the task: what was kept to go on with it goes.
    pub(in crate::tasks) fn end(&mut self, state: TaskState, message: Option<String>) {
        self.state = state;
        self.message = message;
        self.inputs = None;
        self.call = None;
    }

    /// Ends the task with an error of the protocol.
    pub(in crate::tasks) fn fail(&mut self, error: ErrorObject) {
        self.end(TaskState::Failed, Some(error.message.to_string()));
        self.error = Some(Box::new(error));
    }

    /// The bytes that count for the limits of a store: about those of its JSON.
    pub(super) fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let json = |json: Option<&RawJson>| json.map_or(0, |it| it.get().len());
        let error = |it: &ErrorObject| it.message.len() + json(it.data.as_ref());
        let arguments = self.call.as_ref().map(|call| &call.arguments);
        RECORD_BYTES
            + text(&self.message)
            + self.inputs.as_deref().map_or(0, TaskInputs::bytes)
            + json(arguments)
            + json(self.result.as_ref())
            + self.error.as_deref().map_or(0, error)
    }
}

impl From<KeptInputs> for TaskInputs {
    fn from(kept: KeptInputs) -> Self {
        Self {
            questions: OrderedMap::default(),
            answers: kept.answers,
            values: kept.values,
        }
    }
}

impl TaskInputs {
    fn bytes(&self) -> usize {
        let questions = self.questions.iter();
        let questions = questions.map(|(key, it)| key.len() + RawJson::encode(it).get().len());
        let kept = self.answers.iter().chain(&self.values);
        let kept = kept.map(|(key, it)| key.len() + it.get().len());
        questions.chain(kept).sum()
    }
}

fn iso_8601(milliseconds: u64) -> String {
    // `humantime` ends with the year 9999.
    let time = UNIX_EPOCH + Duration::from_millis(milliseconds.min(MAX_MILLISECONDS));
    humantime::format_rfc3339_millis(time).to_string()
}

const MAX_MILLISECONDS: u64 = 253_402_300_799_999;

/// What tasks use: those of a principal, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The number of tasks that have not ended.
    pub(super) running: usize,
    /// The bytes of all tasks.
    pub(super) bytes: usize,
}

impl Usage {
    pub(super) fn of(task: &TaskRecord) -> Self {
        Self {
            running: usize::from(!task.state.is_final()),
            bytes: task.bytes(),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.running += other.running;
        self.bytes += other.bytes;
    }

    pub(super) fn remove(&mut self, other: Self) {
        self.running -= other.running;
        self.bytes -= other.bytes;
    }

    /// Returns true if a task may be added, where a principal has `self` and all have `total`.
    pub(super) fn has_room(self, total: Self, task: Self, limits: TaskLimits) -> bool {
        let within = |used: Self, running, bytes| {
            used.running + task.running <= running && used.bytes + task.bytes <= bytes
        };
        within(total, limits.running, limits.bytes)
            && within(self, limits.running_each, limits.bytes_each)
    }
}
