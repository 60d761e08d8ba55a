//! The record of a task in a store.

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

/// A task in a store: its status, and the data needed to continue it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// The identifier.
    pub id: Arc<str>,
    /// The version, which each change increases by 1.
    pub version: u64,
    /// The name of the principal that called, or `None` for an unauthenticated caller.
    pub principal: Option<String>,
    /// The OAuth scopes that the call required.
    pub scopes: Vec<String>,
    /// The state.
    pub state: TaskState,
    /// The current step, or the reason for the state.
    pub message: Option<String>,
    /// The time of the creation, in ms since 1970.
    pub created: u64,
    /// The time of the last change, in ms since 1970.
    pub updated: u64,
    /// The lifetime that clients see, in ms from the creation.
    pub ttl: Option<u64>,
    /// The [time of the store](super::TaskStore#time), in ms, at which the task fails, or is
    /// deleted if it has ended.
    pub expires: Option<u64>,
    /// The suggested time between two requests for the status, in ms.
    pub poll_interval: Option<u64>,
    /// The process that works on the task, or `None` for work that is done elsewhere.
    pub runner: Option<Arc<str>>,
    /// The questions and answers, until the task ends.
    pub inputs: Option<Box<TaskInputs>>,
    /// The call, until the task ends, if it may run again.
    pub call: Option<Box<SavedCall>>,
    /// The result of the call.
    pub result: Option<RawJson>,
    /// The error of the call.
    pub error: Option<Box<ErrorObject>>,
}

/// The questions to the client of a task, and the answers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskInputs {
    /// The questions that are not answered yet.
    pub questions: OrderedMap<InputRequest>,
    /// The answers.
    pub answers: OrderedMap<RawJson>,
    /// The values of [`Context::once`](mcp_runtime::Context::once), if the task may run again.
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
    /// The name and version that the client reports.
    pub client: Option<Implementation>,
}

impl TaskRecord {
    /// Returns the status that clients see.
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

    /// Ends the task, and drops the data needed to continue it.
    pub(in crate::tasks) fn end(&mut self, state: TaskState, message: Option<String>) {
        self.state = state;
        self.message = message;
        self.inputs = None;
        self.call = None;
    }

    pub(in crate::tasks) fn fail(&mut self, error: ErrorObject) {
        self.end(TaskState::Failed, Some(error.message.to_string()));
        self.error = Some(Box::new(error));
    }

    /// Returns the number of bytes that a store charges to its limits, roughly the length of the
    /// JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
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
    // `humantime` supports times up to the year 9999.
    let time = UNIX_EPOCH + Duration::from_millis(milliseconds.min(MAX_MILLISECONDS));
    humantime::format_rfc3339_millis(time).to_string()
}

const MAX_MILLISECONDS: u64 = 253_402_300_799_999;

/// The resources that the tasks of a principal, or all tasks, use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) running: usize,
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

    /// Whether `task` may be added if its principal uses `self`, and all principals use `total`.
    pub(super) fn has_room(self, total: Self, task: Self, limits: TaskLimits) -> bool {
        let within = |used: Self, running, bytes| {
            used.running + task.running <= running && used.bytes + task.bytes <= bytes
        };
        within(total, limits.running, limits.bytes)
            && within(self, limits.running_each, limits.bytes_each)
    }
}
