//! A store that keeps tasks in memory.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use mcp_runtime::BoxFuture;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::record::Usage;
use super::{Renewal, TaskRecord, TaskStore, TaskStoreFuture};
use crate::tasks::limits::{MAX_DUE, TaskLimits};
use crate::tasks::lock;

/// Keeps tasks in memory. The tasks end with the process.
#[derive(Clone, Default)]
pub struct MemoryTaskStore(Arc<Mutex<Tasks>>);

#[derive(Default)]
struct Tasks {
    all: HashMap<Arc<str>, Kept>,
    expiring: BTreeSet<(u64, Arc<str>)>,
    used: Usage,
    used_by: HashMap<Option<String>, Usage>,
    start: Option<Instant>,
}

struct Kept {
    record: Arc<TaskRecord>,
    changed: Arc<Notify>,
}

impl Tasks {
    fn used_by(&mut self, task: &TaskRecord) -> &mut Usage {
        self.used_by.entry(task.principal.clone()).or_default()
    }

    fn add(&mut self, record: TaskRecord, changed: Arc<Notify>) {
        let usage = Usage::of(&record);
        self.used.add(usage);
        self.used_by(&record).add(usage);
        if let Some(expires) = record.expires {
            self.expiring.insert((expires, Arc::clone(&record.id)));
        }
        let id = Arc::clone(&record.id);
        let record = Arc::new(record);
        self.all.insert(id, Kept { record, changed });
    }

    fn remove(&mut self, id: &str) -> Option<Kept> {
        let kept = self.all.remove(id)?;
        let usage = Usage::of(&kept.record);
        self.used.remove(usage);
        let used_by = self.used_by(&kept.record);
        used_by.remove(usage);
        if *used_by == Usage::default() {
            self.used_by.remove(&kept.record.principal);
        }
        if let Some(expires) = kept.record.expires {
            self.expiring
                .remove(&(expires, Arc::clone(&kept.record.id)));
        }
        Some(kept)
    }
}

impl MemoryTaskStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Tasks> {
        lock(&self.0)
    }
}

fn done<T: Send + 'static>(value: T) -> TaskStoreFuture<T> {
    Box::pin(ready(Ok(value)))
}

impl TaskStore for MemoryTaskStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> TaskStoreFuture<bool> {
        let mut tasks = self.lock();
        let of_principal = tasks.used_by.get(&task.principal).copied();
        let of_principal = of_principal.unwrap_or_default();
        let has_room = of_principal.has_room(tasks.used, Usage::of(&task), limits);
        if has_room {
            tasks.add(task, Arc::default());
        }
        done(has_room)
    }

    fn load(&self, id: &str) -> TaskStoreFuture<Option<Arc<TaskRecord>>> {
        done(self.lock().all.get(id).map(|it| Arc::clone(&it.record)))
    }

    fn replace(&self, task: TaskRecord) -> TaskStoreFuture<bool> {
        let mut tasks = self.lock();
        let before = tasks.all.get(&task.id);
        let fits = before.is_some_and(|it| it.record.version + 1 == task.version);
        if fits && let Some(kept) = tasks.remove(&task.id) {
            kept.changed.notify_waiters();
            tasks.add(task, kept.changed);
        }
        done(fits)
    }

    fn remove(&self, id: &str) -> TaskStoreFuture<()> {
        if let Some(kept) = self.lock().remove(id) {
            kept.changed.notify_waiters();
        }
        done(())
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        let tasks = self.lock();
        let kept = tasks.all.get(id);
        match kept.filter(|it| it.record.version == version) {
            None => Box::pin(ready(())),
            // Registered while the store is locked, or a change could be missed.
            Some(kept) => Box::pin(Arc::clone(&kept.changed).notified_owned()),
        }
    }

    fn due(&self, now: u64) -> TaskStoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        let tasks = self.lock();
        let due = tasks.expiring.iter().take_while(|(time, _)| *time <= now);
        let due: Vec<_> = due.take(MAX_DUE).map(|(_, id)| Arc::clone(id)).collect();
        let next = tasks.expiring.iter().nth(due.len()).map(|(time, _)| *time);
        done((due, next))
    }

    fn renew(&self, _: &str, _: u64) -> TaskStoreFuture<Renewal> {
        let elapsed = self.lock().start.get_or_insert_with(Instant::now).elapsed();
        let now = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        done(Renewal {
            now,
            runners: Vec::new(),
        })
    }
}

impl fmt::Debug for MemoryTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.lock().used;
        f.debug_tuple("MemoryTaskStore").field(&used).finish()
    }
}
