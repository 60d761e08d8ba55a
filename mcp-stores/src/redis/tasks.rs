//! Tasks in Redis.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_extensions::tasks::TaskLimits;
use mcp_extensions::tasks::store::{
    Renewal, TaskRecord, TaskStore, TaskStoreError, TaskStoreFuture,
};
use mcp_runtime::BoxFuture;
use mcp_runtime::store::BusEvent;
use redis::{Cmd, FromRedisValue, cmd};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::connector::Connector;
use super::store::listen;
use crate::limits::redis::{LEASE, MAX_DUE, MAX_PAUSE};
use crate::random_version;

/// Tasks that all replicas of a server share.
///
/// A process hears of the changes of other processes immediately. The lease of a process is 3
/// seconds: the tasks of a process are taken over within 5 seconds after it was killed, and within a
/// second after a shutdown. [`TaskStore`] describes how leases and times to live are measured.
///
/// Redis must not evict keys (`maxmemory-policy noeviction`).
///
/// ```no_run
/// use mcp_extensions::Tasks;
/// use mcp_stores::Redis;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let redis = Redis::connect("redis://localhost", "studio").await?;
/// let tasks = Tasks::new(redis.tasks());
/// # drop(tasks);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RedisTaskStore(Arc<Shared>);

struct Shared {
    connector: Connector,
    /// The beginning of all keys. The braces keep them on one node of a cluster.
    prefix: String,
    waiting: Arc<Mutex<Waiting>>,
}

/// The tasks that are waited for, and the task that listens to changes.
#[derive(Default)]
struct Waiting {
    changed: HashMap<String, Arc<Notify>>,
    listening: Option<JoinHandle<()>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

/// Adds, replaces or removes a task, if this is allowed, together with its place in the indexes:
///
/// - `ends`: the ids of tasks, by the time at which they expire
/// - `runner:…`: the ids of the tasks of a runner that have not ended
/// - `runners`: the runners with such tasks
/// - `usage`: the number of running tasks and the bytes of all (`*`) and of each owner
///
/// The mode is `insert`, `remove` or the version that is replaced. An old record is removed first,
/// because Redis allows removals when it is full, and then the changes after it. Negative numbers are
/// differences with zero, because Redis refuses `-0`.
const CHANGE: &str = include_str!("change.lua");

/// Renews the lease of a runner. Returns the time of the store, all leases, and the runners with
/// unfinished tasks.
const RENEW: &str = include_str!("renew.lua");

impl RedisTaskStore {
    pub(super) fn new(connector: Connector, prefix: &str) -> Self {
        Self(Arc::new(Shared {
            connector,
            prefix: format!("{{{prefix}:tasks}}:"),
            waiting: Arc::default(),
        }))
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.0.prefix)
    }

    fn script(&self, script: &str) -> Cmd {
        let mut command = cmd("EVAL");
        command.arg(script).arg(1).arg(&self.0.prefix);
        command
    }

    fn run<T: FromRedisValue + Send + 'static>(&self, command: Cmd) -> TaskStoreFuture<T> {
        let connector = self.0.connector.clone();
        Box::pin(async move {
            let outcome = connector.run(command).await;
            outcome.map_err(|error| TaskStoreError::Failed(error.into()))
        })
    }

    /// Puts a task. `mode` is `insert`, or the version that is replaced.
    fn put(&self, task: &TaskRecord, mode: &str, limits: TaskLimits) -> TaskStoreFuture<bool> {
        let json = match serde_json::to_string(task) {
            Ok(json) => json,
            Err(error) => return Box::pin(async { Err(TaskStoreError::Failed(error.into())) }),
        };
        let principal = task.principal.as_ref();
        let owner = principal.map_or_else(String::new, |name| format!("={name}"));
        let ((running, running_each), (bytes, bytes_each)) =
            (limits.max_running(), limits.max_bytes());
        let mut command = self.script(CHANGE);
        command.arg(&*task.id).arg(mode).arg(owner);
        command
            .arg(u8::from(!task.state.is_final()))
            .arg(task.bytes());
        command.arg(task.runner.as_deref().unwrap_or_default());
        command.arg(
            task.expires
                .map_or_else(String::new, |expires| expires.to_string()),
        );
        command.arg(task.version).arg(json);
        command
            .arg(running)
            .arg(bytes)
            .arg(running_each)
            .arg(bytes_each);
        self.run(command)
    }

    /// Returns what is notified when the task changes, after the listening has begun.
    fn watch(&self, id: &str) -> Arc<Notify> {
        let mut waiting = lock(&self.0.waiting);
        if waiting
            .listening
            .as_ref()
            .is_none_or(JoinHandle::is_finished)
        {
            let connector = self.0.connector.clone();
            let channel = self.key("changed");
            let shared = Arc::downgrade(&self.0.waiting);
            waiting.listening = Some(tokio::spawn(async move {
                let deliver = |event| {
                    if let Some(waiting) = shared.upgrade() {
                        lock(&waiting).notify(event);
                    }
                };
                listen(&connector, &channel, deliver).await;
            }));
        }
        let changed = &mut waiting.changed;
        // Entries without waiters are removed only when the map is full, so the amortized cost is
        // small.
        if changed.len() == changed.capacity() {
            changed.retain(|_, notify| Arc::strong_count(notify) > 1);
        }
        Arc::clone(changed.entry(id.to_owned()).or_default())
    }
}

impl Waiting {
    fn notify(&mut self, event: BusEvent) {
        match event {
            BusEvent::Message(id) => {
                let notify = self.changed.remove(&*String::from_utf8_lossy(&id));
                notify.inspect(|notify| notify.notify_waiters());
            }
            // Earlier changes are unknown, so all waiters have to check.
            BusEvent::Gap => self.changed.drain().for_each(|(_, it)| it.notify_waiters()),
        }
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    // No code leaves a half-changed value behind.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TaskStore for RedisTaskStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> TaskStoreFuture<bool> {
        self.put(&task, "insert", limits)
    }

    fn load(&self, id: &str) -> TaskStoreFuture<Option<Arc<TaskRecord>>> {
        let record = Cmd::hget(self.key(&format!("task:{id}")), "record");
        let record = self.run::<Option<Vec<u8>>>(record);
        Box::pin(async move {
            let read = |json: Vec<u8>| serde_json::from_slice(&json).map(Arc::new);
            let record = record.await?.map(read).transpose();
            record.map_err(|error| TaskStoreError::Unreadable(error.into()))
        })
    }

    fn replace(&self, task: TaskRecord) -> TaskStoreFuture<bool> {
        let Some(before) = task.version.checked_sub(1) else {
            return Box::pin(async { Ok(false) });
        };
        self.put(&task, &before.to_string(), TaskLimits::new())
    }

    fn remove(&self, id: &str) -> TaskStoreFuture<()> {
        let mut command = self.script(CHANGE);
        command.arg(id).arg("remove");
        self.run(command)
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        let store = self.clone();
        let id = id.to_owned();
        Box::pin(async move {
            // Registered before the version is read, or a change could be missed.
            let notified = store.watch(&id).notified_owned();
            match store.load(&id).await {
                Ok(Some(task)) if task.version == version => notified.await,
                Ok(_) => {}
                // Returning early is allowed, but the pause keeps the caller from looping without
                // rest.
                Err(_) => tokio::time::sleep(MAX_PAUSE).await,
            }
        })
    }

    fn due(&self, now: u64) -> TaskStoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        let first = Cmd::zrange_withscores(self.key("ends"), 0, MAX_DUE);
        let first = self.run::<Vec<(String, f64)>>(first);
        Box::pin(async move {
            let mut first = first.await?.into_iter().map(|(id, time)| (id, time as u64));
            let mut due = Vec::new();
            let next = first.find_map(|(id, time)| {
                let is_due = time <= now && due.len() < MAX_DUE.unsigned_abs();
                if is_due {
                    due.push(id.into());
                }
                (!is_due).then_some(time)
            });
            Ok((due, next))
        })
    }

    fn lease(&self) -> Option<Duration> {
        Some(LEASE)
    }

    fn renew(&self, runner: &str, now: u64) -> TaskStoreFuture<Renewal> {
        let runner = runner.to_owned();
        let mut command = self.script(RENEW);
        let number = random_version().map(|version| version.number().cast_signed());
        command
            .arg(&runner)
            .arg(number.unwrap_or_default())
            .arg(now);
        let renewed = self.run::<(u64, HashMap<String, i64>, Vec<String>)>(command);
        Box::pin(async move {
            let (now, mut leases, idle) = renewed.await?;
            leases.remove(&runner);
            let stopped = idle
                .into_iter()
                .filter(|it| *it != runner && !leases.contains_key(it));
            let stopped: Vec<_> = stopped.map(|it| (it.into(), None)).collect();
            let leased = leases
                .into_iter()
                .map(|(it, number)| (it.into(), Some(number)));
            let runners = leased.chain(stopped).collect();
            Ok(Renewal { now, runners })
        })
    }

    fn release(&self, runner: &str) -> TaskStoreFuture<()> {
        self.run(Cmd::hdel(self.key("leases"), runner))
    }

    fn unfinished(&self, runner: &str) -> TaskStoreFuture<Vec<Arc<str>>> {
        let unfinished = Cmd::smembers(self.key(&format!("runner:{runner}")));
        let unfinished = self.run::<Vec<String>>(unfinished);
        Box::pin(async move { Ok(unfinished.await?.into_iter().map(Arc::from).collect()) })
    }
}

impl fmt::Debug for RedisTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisTaskStore")
            .field("prefix", &self.0.prefix)
            .finish_non_exhaustive()
    }
}
