//! Tests that every store of tasks passes.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::types::RawJson;
use serde_json::to_value;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::tasks::store::{TaskRecord, TaskStore, TaskStoreFuture};
use crate::tasks::{TaskLimits, TaskState};

/// How long a store may take for what it does soon, on a busy machine.
const SOON: Duration = Duration::from_secs(10);
/// How many callers change a task at the same time.
const RACERS: usize = 32;

/// Checks that two handles of the same store, such as the handles of two processes, keep the rules
/// of [`TaskStore`]. The store must be empty, and is empty afterwards.
///
/// ```
/// use mcp_extensions::tasks::store::MemoryTaskStore;
/// use mcp_extensions::testing::store_contract;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// // In a test of your own store, open the store twice, as two processes would.
/// let store = MemoryTaskStore::new();
/// store_contract(store.clone(), store).await;
/// # }
/// ```
///
/// # Panics
///
/// When a rule is broken, or an operation fails. The message names the rule.
pub async fn store_contract(store: impl TaskStore, other: impl TaskStore) {
    let stores = Stores([Arc::new(store), Arc::new(other)]);
    stores.records().await;
    stores.versions().await;
    stores.changes().await;
    stores.limits().await;
    stores.expiry().await;
    stores.leases().await;
}

struct Stores([Arc<dyn TaskStore>; 2]);

async fn done<T>(operation: TaskStoreFuture<T>) -> T {
    let outcome = timeout(SOON, operation).await;
    let outcome = outcome.expect("an operation of the store ends soon");
    outcome.expect("the store is available")
}

fn task(id: &str, version: u64) -> TaskRecord {
    TaskRecord {
        id: id.into(),
        version,
        ..TaskRecord::default()
    }
}

impl Stores {
    /// Adds a task, and checks whether the limits allow this.
    async fn insert(&self, task: TaskRecord, limits: TaskLimits, fits: bool, rule: &str) {
        let id = Arc::clone(&task.id);
        let inserted = done(self.0[0].insert(task, limits)).await;
        assert_eq!(inserted, fits, "{rule}");
        let found = done(self.0[1].load(&id)).await;
        assert_eq!(found.is_some(), fits, "a refused task is not added");
    }

    async fn add(&self, task: TaskRecord) {
        let rule = "a task within the limits is added, and found by other processes";
        self.insert(task, TaskLimits::new(), true, rule).await;
    }

    async fn replace(&self, task: TaskRecord, fits: bool, rule: &str) {
        let replaced = done(self.0[0].replace(task)).await;
        assert_eq!(replaced, fits, "{rule}");
    }

    async fn remove(&self, id: &str) {
        done(self.0[0].remove(id)).await;
        let found = done(self.0[1].load(id)).await;
        assert!(found.is_none(), "a removed task is gone");
    }

    async fn records(&self) {
        let text = "\u{0}\"ä\u{1f3ac}";
        let mut record = task("task", 0);
        record.principal = Some(text.to_owned());
        record.updated = u64::MAX;
        record.result = Some(RawJson::encode(&text.repeat(1 << 18)));
        self.add(record.clone()).await;
        let found = done(self.0[1].load("task")).await;
        let json = |task: &TaskRecord| to_value(task).ok();
        let is_same = found.and_then(|found| json(&found)) == json(&record);
        assert!(is_same, "a record stays as it is");
        self.remove("task").await;
        self.remove("task").await;
    }

    async fn versions(&self) {
        let rule = "a task that is not there is not replaced";
        self.replace(task("task", 1), false, rule).await;
        self.add(task("task", 0)).await;
        for version in [0, 2, u64::MAX] {
            let rule = "only the next version replaces a task";
            self.replace(task("task", version), false, rule).await;
        }
        let racers = self.0.iter().cycle().take(RACERS).cloned();
        let racing = racers.map(increment).collect::<JoinSet<_>>();
        racing.join_all().await;
        let found = done(self.0[1].load("task")).await;
        let count = found.map(|found| found.updated);
        let rule = "a task is replaced only by a caller that has read the last version";
        assert_eq!(count, Some(RACERS as u64), "{rule}");
        self.remove("task").await;
    }

    async fn changes(&self) {
        let [store, other] = &self.0;
        self.add(task("task", 0)).await;
        // The change may happen before, while and after the other handle begins to wait.
        for version in 0..=3 {
            let waiting = tokio::spawn(wait(Arc::clone(other), version));
            match version {
                3 => self.remove("task").await,
                _ => increment(Arc::clone(store)).await,
            }
            let waited = timeout(SOON, waiting).await;
            assert!(waited.is_ok(), "changes and removals by others are noticed");
        }
        let waited = timeout(SOON, other.changed("task", 3)).await;
        assert!(waited.is_ok(), "nothing is waited for if there is no task");
    }

    async fn limits(&self) {
        let of = |id: &str, principal: Option<&str>| TaskRecord {
            principal: principal.map(str::to_owned),
            ..task(id, 0)
        };
        let limits = TaskLimits::new().running(4, 2);
        for (id, principal, fits) in [
            ("0", None, true),
            ("1", None, true),
            ("2", None, false),
            ("2", Some(""), true),
            ("3", Some("*"), true),
            ("4", Some("="), false),
        ] {
            let rule = "running tasks are limited in total and for each principal";
            self.insert(of(id, principal), limits, fits, rule).await;
        }
        let mut ended = task("0", 1);
        ended.state = TaskState::Failed;
        ended.message = Some("x".repeat(1000));
        let (bytes, used) = (task("0", 0).bytes(), ended.bytes());
        self.replace(ended, true, "a task is replaced").await;
        let rule = "a task that has ended does not run";
        self.insert(of("4", None), limits, true, rule).await;
        let total = used + 5 * bytes;
        for (all, each, fits) in [
            (total - 1, total, false),
            (total, 2 * bytes - 1, false),
            (total, 2 * bytes, true),
        ] {
            let limits = TaskLimits::new().bytes(all, each);
            let rule = "the bytes of tasks are limited in total and for each principal";
            self.insert(of("5", Some("*")), limits, fits, rule).await;
        }
        for id in ["0", "1", "2", "3", "4", "5"] {
            self.remove(id).await;
        }
        let limits = TaskLimits::new().running(10, usize::MAX);
        let racers = self.0.iter().cycle().zip(0..RACERS);
        let racers = racers.map(|(store, id)| store.insert(task(&id.to_string(), 0), limits));
        let inserted = racers.collect::<JoinSet<_>>().join_all().await;
        let count = inserted.iter().filter(|it| matches!(it, Ok(true))).count();
        assert_eq!(count, 10, "limits are exact, and removed tasks use nothing");
        for id in 0..RACERS {
            self.remove(&id.to_string()).await;
        }
    }

    /// The tasks that are due, and the time at which the next one is.
    async fn due(&self, now: u64) -> (String, Option<u64>) {
        let (due, next) = done(self.0[1].due(now)).await;
        assert!(due.len() <= 100, "at most 100 tasks are due at once");
        (due.join(" "), next)
    }

    async fn expiry(&self) {
        let at = |id: &str, version, expires| TaskRecord {
            expires,
            ..task(id, version)
        };
        for (id, expires) in [("c", 30), ("b", 20), ("a", 10)] {
            self.add(at(id, 0, Some(expires))).await;
        }
        self.add(task("d", 0)).await;
        let due = |ids: &str, next| (ids.to_owned(), next);
        assert_eq!(self.due(9).await, due("", Some(10)), "no task is due early");
        let rule = "due tasks are in the order of their times";
        assert_eq!(self.due(20).await, due("a b", Some(30)), "{rule}");
        self.replace(at("a", 1, Some(40)), true, rule).await;
        self.replace(at("b", 1, None), true, rule).await;
        self.remove("c").await;
        let rule = "a change applies to the time of a task";
        assert_eq!(self.due(30).await, due("", Some(40)), "{rule}");
        assert_eq!(self.due(40).await, due("a", None), "{rule}");
        for id in 0..150 {
            self.add(at(&id.to_string(), 0, Some(40))).await;
        }
        let mut removed = 0;
        while let (due, _) = self.due(40).await
            && !due.is_empty()
        {
            for id in due.split(' ') {
                self.remove(id).await;
                removed += 1;
            }
        }
        assert_eq!(removed, 151, "all tasks become due");
        self.remove("b").await;
        self.remove("d").await;
    }

    /// Renews the lease of `b`, and returns the number of `a`, if `a` is reported.
    async fn number(&self) -> Option<Option<i64>> {
        let runners = done(self.0[1].renew("b", 3)).await.runners;
        let has_itself = runners.iter().any(|(runner, _)| &**runner == "b");
        assert!(!has_itself, "a runner is not among the others");
        let found = runners.into_iter().find(|(runner, _)| &**runner == "a");
        found.map(|(_, number)| number)
    }

    async fn leases(&self) {
        let [store, other] = &self.0;
        let of = |runner: &str, id, version, state| TaskRecord {
            runner: Some(runner.into()),
            state,
            ..task(id, version)
        };
        let first = done(store.renew("a", 5)).await.now;
        let second = done(other.renew("b", 3)).await.now;
        assert!(second >= first, "the time of the store never goes back");
        if store.lease().is_none() {
            return;
        }
        assert!(first >= 5, "a renewal advances the time of the store");
        let before = self.number().await.flatten();
        assert!(before.is_some(), "a runner sees the leases of others");
        done(store.renew("a", 5)).await;
        let after = self.number().await.flatten();
        assert_ne!(after, before, "a renewal changes the number");
        self.add(of("a", "runs", 0, TaskState::Working)).await;
        self.add(of("a", "ended", 0, TaskState::Failed)).await;
        let unfinished = done(other.unfinished("a")).await;
        let rule = "the tasks of a runner that have not ended are unfinished";
        assert_eq!(unfinished, ["runs".into()], "{rule}");
        done(store.release("a")).await;
        let rule = "a runner that stopped is reported while it has unfinished tasks";
        assert_eq!(self.number().await, Some(None), "{rule}");
        let rule = "a task belongs to its last runner";
        self.replace(of("b", "runs", 1, TaskState::Working), true, rule)
            .await;
        assert!(done(other.unfinished("a")).await.is_empty(), "{rule}");
        assert_eq!(done(other.unfinished("b")).await.len(), 1, "{rule}");
        assert_eq!(self.number().await, None, "{rule}");
        self.remove("runs").await;
        self.remove("ended").await;
        done(store.release("b")).await;
    }
}

/// Adds one to a task, even if others change it at the same time.
async fn increment(store: Arc<dyn TaskStore>) {
    loop {
        let found = done(store.load("task")).await.expect("the task is kept");
        let mut next = (*found).clone();
        next.version += 1;
        next.updated += 1;
        if done(store.replace(next)).await {
            return;
        }
    }
}

/// Waits until the task no longer has this version.
async fn wait(store: Arc<dyn TaskStore>, version: u64) {
    while let Some(found) = done(store.load("task")).await
        && found.version == version
    {
        store.changed("task", version).await;
    }
}
