//! Reading and changing tasks in their store.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mcp_runtime::ProtocolError;
use mcp_runtime::types::RawJson;
use mcp_runtime::types::jsonrpc::code;
use tokio::time::Instant;

use crate::tasks::store::{TaskRecord, TaskStore, TaskStoreError};

/// A store of tasks, and the time.
#[derive(Clone)]
pub(super) struct Records {
    pub(super) store: Arc<dyn TaskStore>,
    clock: (Instant, u64),
}

impl Records {
    pub(super) fn new(store: impl TaskStore) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = milliseconds(since_1970.unwrap_or_default());
        Self {
            store: Arc::new(store),
            clock: (Instant::now(), now),
        }
    }

    /// The time in ms since 1970. It does not go back.
    pub(super) fn now(&self) -> u64 {
        let (start, at_start) = self.clock;
        at_start + milliseconds(start.elapsed())
    }

    /// Changes a task, as often as others change it at the same time. `None` if there is no such task,
    /// or `change` returns it, which then has no effect.
    pub(super) async fn edit<T>(
        &self,
        id: &str,
        mut change: impl FnMut(&mut TaskRecord) -> Option<T>,
    ) -> Result<Option<T>, TaskStoreError> {
        loop {
            let Some(before) = self.store.load(id).await? else {
                return Ok(None);
            };
            let mut record = (*before).clone();
            let Some(value) = change(&mut record) else {
                return Ok(None);
            };
            record.version += 1;
            record.updated = self.now();
            if self.store.replace(record).await? {
                return Ok(Some(value));
            }
        }
    }

    /// Waits until `found` returns something of a task; `None` once the task is gone.
    pub(super) async fn wait_for<T>(
        &self,
        id: &str,
        found: impl Fn(&TaskRecord) -> Option<T>,
    ) -> Result<Option<T>, TaskStoreError> {
        while let Some(record) = self.store.load(id).await? {
            let version = record.version;
            if let Some(value) = found(&record) {
                return Ok(Some(value));
            }
            drop(record);
            self.store.changed(id, version).await;
        }
        Ok(None)
    }
}

pub(super) fn milliseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The answer to a request that a store has failed.
pub(super) fn unavailable(error: TaskStoreError) -> ProtocolError {
    tracing::error!(%error, "tasks can't be read or written");
    ProtocolError::new(
        code::INTERNAL_ERROR,
        "the tasks of this server can't be read or written now",
    )
}

/// The answer to a request about a task that is not there, or is somebody else's.
pub(super) fn unknown() -> ProtocolError {
    ProtocolError::new(
        code::INVALID_PARAMS,
        "there is no such task: it has expired, or the id is not one of this caller's",
    )
}

/// The error of a task that ended before its call did.
pub(super) fn ended(reason: &str) -> ProtocolError {
    ProtocolError::new(
        code::INTERNAL_ERROR,
        format!("the task was ended: {reason}"),
    )
}

/// A result with the `resultType` that its revision requires, which is added where results are sent.
pub(super) fn whole(result: RawJson) -> RawJson {
    if result.as_raw().member("resultType").is_some() {
        return result;
    }
    let members = result.get().strip_prefix('{').unwrap_or_default();
    let comma = if members == "}" { "" } else { "," };
    let whole = format!(r#"{{"resultType":"complete"{comma}{members}"#);
    RawJson::from_text(whole).unwrap_or(result)
}
