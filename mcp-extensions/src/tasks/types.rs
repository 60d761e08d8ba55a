//! Messages of the extension (ext-tasks 2026-07-28).

use mcp_runtime::types::{Conform, ErrorObject, InputRequest, JsonObject, OrderedMap, RawJson};
use mcp_runtime::{Era, ExtensionMethod, Revision};
use serde::{Deserialize, Deserializer, Serialize};

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/tasks";

/// The member of a tool's `_meta` that says whether its calls become tasks: `optional` or
/// `required`.
///
/// The extension does not define this member, so servers of other makers may not have it.
pub const TASK_SUPPORT: &str = "taskSupport";

pub(super) const RESULT_TYPE: &str = "task";
/// The member that contains the ids of tasks in the filter of a subscription, and in its
/// acknowledgement.
pub(super) const TASK_IDS: &str = "taskIds";
pub(super) const NOTIFICATION: &str = "notifications/tasks";

pub(super) const GET: ExtensionMethod = ExtensionMethod::new("tasks/get").named_by("taskId");
pub(super) const UPDATE: ExtensionMethod = ExtensionMethod::new("tasks/update").named_by("taskId");
pub(super) const CANCEL: ExtensionMethod = ExtensionMethod::new("tasks/cancel").named_by("taskId");

/// Returns true if `revision` supports the extension (stateless revisions only).
pub(super) fn is_offered(revision: Revision) -> bool {
    revision.era() == Era::Stateless
}

/// The state of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// The call is in progress.
    #[default]
    Working,
    /// The server is waiting for answers to [`TaskStatus::input_requests`].
    InputRequired,
    /// The call has ended with [`TaskStatus::result`], which may be the error of a tool.
    Completed,
    /// The call has ended with [`TaskStatus::error`], an error of the protocol.
    Failed,
    /// The call was cancelled.
    Cancelled,
}

impl TaskState {
    /// Returns true if the task has ended, which makes its state final.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The status of a task: the result of `tasks/get`, the parameters of `notifications/tasks`, and
/// the answer to a call that has become a task (ext-tasks, "Tasks").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatus {
    /// The identifier, which is unique on its server.
    pub task_id: String,
    /// The state.
    #[serde(rename = "status")]
    pub state: TaskState,
    /// The current step, or the reason for the state, for people to read.
    #[serde(
        rename = "statusMessage",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub message: Option<String>,
    /// The time at which the task was created, in ISO 8601.
    pub created_at: String,
    /// The time of the last change, in ISO 8601.
    pub last_updated_at: String,
    /// The time in ms after the creation when the server may delete the task. `None` if the server
    /// keeps the task, or states no valid time.
    #[serde(default, deserialize_with = "milliseconds")]
    pub ttl_ms: Option<u64>,
    /// The time in ms to wait between two requests for the status, as suggested by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "milliseconds")]
    pub poll_interval_ms: Option<u64>,
    /// The open questions by their keys, in [`TaskState::InputRequired`].
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub input_requests: OrderedMap<InputRequest>,
    /// The result of the call, in [`TaskState::Completed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
    /// The error of the call, in [`TaskState::Failed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
}

/// Reads a time in ms, in any notation of the number. Returns `None` for a negative number or
/// another value, because the task can be followed and cancelled without the time.
pub(super) fn milliseconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let json = RawJson::deserialize(deserializer)?;
    let number: Option<f64> = json.get().parse().ok();
    Ok(number.filter(|it| *it >= 0.0).map(|it| it as u64))
}

/// Parameters of `tasks/get` and `tasks/cancel`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TaskParams {
    pub(super) task_id: String,
}

/// Parameters of `tasks/update`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UpdateParams {
    pub(super) task_id: String,
    pub(super) input_responses: OrderedMap<RawJson>,
}

macro_rules! of_one_revision {
    ($($type:ty),*) => {$(
        /// The extension exists only in the revision that has these members.
        impl Conform for $type {
            fn conform(&mut self, _: Revision) {}
        }
    )*};
}

of_one_revision!(TaskStatus, TaskParams, UpdateParams);

requests! {
    ID;
    /// `tasks/get`.
    GetTask: "tasks/get", TaskParams => TaskStatus;
    /// `tasks/update`.
    UpdateTask: "tasks/update", UpdateParams => JsonObject;
    /// `tasks/cancel`.
    CancelTask: "tasks/cancel", TaskParams => JsonObject;
}
