//! Reads and changes tasks in their store.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_runtime::ProtocolError;
use mcp_runtime::types::RawJson;
use mcp_runtime::types::jsonrpc::code;
use tokio::time::error::Elapsed;

use crate::tasks::limits::{FIRST_RETRY_PAUSE, MAX_EDITS, MAX_RETRY_PAUSE, STORE_TIMEOUT};
use crate::tasks::lock;
use crate::tasks::store::{TaskRecord, TaskStore, TaskStoreError, TaskStoreFuture};

/// A store of tasks, and the clock for times that clients see.
#[derive(Clone)]
pub(super) struct Records {
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) clock: fn() -> SystemTime,
    /// The tasks whose records can't be read. Each of them was logged once.
    pub(super) unreadable: Arc<Mutex<HashSet<Arc<str>>>>,
}

impl Records {
    pub(super) fn new(store: impl TaskStore) -> Self {
        Self {
            store: Arc::new(store),
            clock: SystemTime::now,
            unreadable: Arc::default(),
        }
    }

    /// The time in ms since 1970, for people to read. It may jump in both directions.
    pub(super) fn now(&self) -> u64 {
        let since_1970 = (self.clock)().duration_since(UNIX_EPOCH);
        milliseconds(since_1970.unwrap_or_default())
    }

    /// Runs an operation of the store. The operation fails if it takes too long.
    pub(super) async fn run<T>(
        &self,
        operation: impl FnOnce(&dyn TaskStore) -> TaskStoreFuture<T>,
    ) -> Result<T, TaskStoreError> {
        let outcome = tokio::time::timeout(STORE_TIMEOUT, operation(&*self.store)).await;
        outcome.unwrap_or_else(late)
    }

    pub(super) async fn load(&self, id: &str) -> Result<Option<Arc<TaskRecord>>, TaskStoreError> {
        let record = self.run(|store| store.load(id)).await;
        if let Err(error @ TaskStoreError::Unreadable(_)) = &record
            && lock(&self.unreadable).insert(id.into())
        {
            tracing::error!(id, %error, "this task is left alone until it expires");
        }
        record
    }

    /// Changes a task, and tries again as often as others change it at the same time.
    ///
    /// Returns `None` if there is no such task, or if `change` returns `None`, which cancels the
    /// change.
    pub(super) async fn edit<T>(
        &self,
        id: &str,
        mut change: impl FnMut(&mut TaskRecord) -> Option<T>,
    ) -> Result<Option<T>, TaskStoreError> {
        for _ in 0..MAX_EDITS {
            let Some(before) = self.load(id).await? else {
                return Ok(None);
            };
            let mut record = (*before).clone();
            let Some(value) = change(&mut record) else {
                return Ok(None);
            };
            record.version += 1;
            record.updated = self.now().max(record.updated).max(record.created);
            if self.run(|store| store.replace(record)).await? {
                return Ok(Some(value));
            }
        }
        let reason = format!("the task {id} was changed by others each time");
        Err(TaskStoreError::Failed(reason.into()))
    }

    /// Waits until `found` returns a value for the task. Returns `None` once the task is gone.
    pub(super) async fn wait_for<T>(
        &self,
        id: &str,
        found: impl Fn(&TaskRecord) -> Option<T>,
    ) -> Result<Option<T>, TaskStoreError> {
        let mut retry = Retry::default();
        loop {
            // Boxed, because many tasks wait here, and their futures should be small.
            let record = match Box::pin(self.load(id)).await {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(None),
                Err(TaskStoreError::Busy) => {
                    Box::pin(retry.pause()).await;
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(value) = found(&record) {
                return Ok(Some(value));
            }
            let version = record.version;
            drop(record);
            self.store.changed(id, version).await;
        }
    }
}

pub(super) fn late<T>(_: Elapsed) -> Result<T, TaskStoreError> {
    Err(TaskStoreError::Failed("it did not answer in time".into()))
}

/// The growing pauses before a failed operation is tried again.
#[derive(Default)]
pub(super) struct Retry(u32);

impl Retry {
    /// Waits for 1, 2, 4, … seconds, up to a minute.
    pub(super) async fn pause(&mut self) {
        let pause = FIRST_RETRY_PAUSE.saturating_mul(1 << self.0.min(6));
        self.0 += 1;
        tokio::time::sleep(pause.min(MAX_RETRY_PAUSE)).await;
    }
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn unavailable(error: TaskStoreError) -> ProtocolError {
    let message = match error {
        TaskStoreError::Busy => "the store of this server's tasks is busy: try again later",
        TaskStoreError::Unreadable(_) => {
            "the record of this task can't be read: it is damaged, or of a newer version"
        }
        error @ TaskStoreError::Failed(_) => {
            tracing::error!(%error, "tasks can't be read or written");
            "the tasks of this server can't be read or written now"
        }
    };
    ProtocolError::new(code::INTERNAL_ERROR, message)
}

/// The error for a task that does not exist, or belongs to another caller.
pub(super) fn unknown() -> ProtocolError {
    ProtocolError::new(
        code::INVALID_PARAMS,
        "there is no such task: it has expired, or the id is not one of this caller's",
    )
}

/// The error of a task that was ended before its call was done.
pub(super) fn ended(reason: &str) -> ProtocolError {
    ProtocolError::new(
        code::INTERNAL_ERROR,
        format!("the task was ended: {reason}"),
    )
}

/// Adds the `resultType` that the revision requires. Other results get it when they are sent.
pub(super) fn whole(result: RawJson) -> RawJson {
    if result.as_raw().member("resultType").is_some() {
        return result;
    }
    let members = result.get().strip_prefix('{').unwrap_or_default();
    let comma = if members == "}" { "" } else { "," };
    let whole = format!(r#"{{"resultType":"complete"{comma}{members}"#);
    RawJson::from_text(whole).unwrap_or(result)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::tasks::TaskLimits;
    use crate::tasks::store::MemoryTaskStore;

    thread_local! {
        static SECONDS: Cell<u64> = const { Cell::new(1_000_000) };
    }

    #[tokio::test]
    async fn times_that_clients_see_do_not_go_back_when_the_clock_does() {
        let mut records = Records::new(MemoryTaskStore::new());
        records.clock = || UNIX_EPOCH + Duration::from_secs(SECONDS.get());
        let task = TaskRecord {
            id: "task".into(),
            created: records.now(),
            updated: records.now(),
            ..TaskRecord::default()
        };
        let inserted = records.store.insert(task.clone(), TaskLimits::new());
        assert!(inserted.await.unwrap());
        let mut last = task.updated;
        for step in [0, 7_200, -10_000, 0, -50, 20_000, -1_000_000_000] {
            SECONDS.set(SECONDS.get().saturating_add_signed(step));
            assert_eq!(records.edit("task", |_| Some(())).await.unwrap(), Some(()));
            let record = records.load("task").await.unwrap().unwrap();
            assert!(record.updated >= last.max(record.created), "{step}");
            last = record.updated;
        }
        assert_eq!(last, (1_000_000 + 7_200 - 10_000 - 50 + 20_000) * 1_000);
    }

    #[test]
    fn the_clock_of_the_system_decides_nothing() {
        let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if std::fs::read_to_string(&path)
                    .unwrap()
                    .contains("SystemTime")
                {
                    found.push(path.file_name().unwrap().to_owned());
                }
            }
        }
        // `records.rs` uses the system clock for the times that clients see.
        assert_eq!(found, ["records.rs"]);
    }

    #[tokio::test]
    async fn a_task_that_is_changed_by_others_each_time_is_an_error() {
        let records = Records::new(MemoryTaskStore::new());
        let task = TaskRecord {
            id: "task".into(),
            ..TaskRecord::default()
        };
        let inserted = records.store.insert(task, TaskLimits::new());
        assert!(inserted.await.unwrap());
        let mut count = 0;
        let changed = records.edit("task", |record| {
            count += 1;
            record.version += 7;
            Some(())
        });
        assert!(changed.await.is_err());
        assert_eq!(count, MAX_EDITS);
    }
}
