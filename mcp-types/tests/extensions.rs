//! Types of extensions: what a client of the tasks extension receives, and sends back.
#![allow(clippy::unwrap_used)]

use mcp_types::extensions::tasks::{
    CancelTaskResult, CreateTaskResult, GetTaskResult, TaskStatusNotificationParams,
    UpdateTaskRequestParams, methods,
};
use mcp_types::{ElicitAction, ElicitResult, InputRequest, TaskStatus};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Decodes, and compares what is encoded again.
fn round<T: DeserializeOwned + Serialize>(text: &str) -> T {
    let value: T = serde_json::from_str(text).unwrap();
    let before: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), before);
    value
}

#[test]
fn a_task_that_was_created() {
    let task: CreateTaskResult = round(
        r#"{"resultType":"task","taskId":"t1","status":"working","createdAt":"2026-08-01T00:00:00Z",
        "lastUpdatedAt":"2026-08-01T00:00:00Z","ttlMs":null,"pollIntervalMs":500}"#,
    );
    assert_eq!(task.status, TaskStatus::Working);
    assert_eq!((task.ttl_ms, task.poll_interval_ms), (None, Some(500)));
    let other = r#"{"resultType":"complete","taskId":"t1"}"#;
    assert!(serde_json::from_str::<CreateTaskResult>(other).is_err());
}

#[test]
fn a_task_that_asks_uses_the_requests_of_the_protocol() {
    let task: GetTaskResult = round(
        r#"{"resultType":"complete","taskId":"t1","status":"input_required","createdAt":"a",
        "lastUpdatedAt":"b","ttlMs":1000,"inputRequests":{"k":{"method":"elicitation/create",
        "params":{"mode":"url","message":"Sign in.","url":"https://example.org"}}}}"#,
    );
    let requests = task.input_requests.unwrap();
    assert!(
        matches!(requests["k"], InputRequest::Elicit(_)),
        "{requests:?}"
    );

    let answer = ElicitResult::new(ElicitAction::Accept);
    let params = UpdateTaskRequestParams::new("t1", [("k", answer.into())]);
    assert_eq!(
        serde_json::to_string(&params).unwrap(),
        r#"{"inputResponses":{"k":{"action":"accept"}},"taskId":"t1"}"#
    );
}

#[test]
fn a_task_that_ended() {
    let task: TaskStatusNotificationParams = round(
        r#"{"taskId":"t1","status":"failed","createdAt":"a","lastUpdatedAt":"b","ttlMs":null,
        "error":{"code":-32603,"message":"no"}}"#,
    );
    assert_eq!(task.error.unwrap().code, -32603);
    let text = serde_json::to_string(&CancelTaskResult::new()).unwrap();
    assert_eq!(text, r#"{"resultType":"complete"}"#);
    assert_eq!(methods::TASKS_CANCEL, "tasks/cancel");
}
