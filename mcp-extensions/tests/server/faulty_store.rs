//! A store of tasks with faults that a test chooses.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mcp_extensions::tasks::TaskLimits;
use mcp_extensions::tasks::store::{
    MemoryTaskStore, Renewal, TaskRecord, TaskStore, TaskStoreError, TaskStoreFuture,
};
use mcp_runtime::BoxFuture;
use tokio::sync::{Notify, watch};

/// The fault of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails without an effect.
    Fails,
    /// The operation fails although it has an effect, because the answer is lost.
    LosesAnswer,
    /// The operation never ends, and has no effect.
    Stalls,
    /// The operation waits for [`FaultyStore::go_on`].
    Waits,
}

/// The numbers of the operations that have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Never,
    At(usize),
    From(usize),
}

/// One process's view of tasks that are kept in memory.
#[derive(Clone)]
pub struct FaultyStore {
    shared: Arc<Shared>,
    faults: Arc<Mutex<(When, Fault)>>,
    /// The names of the operations so far.
    called: Arc<watch::Sender<Vec<&'static str>>>,
    goes_on: Arc<Notify>,
}

#[derive(Default)]
struct Shared {
    tasks: MemoryTaskStore,
    lease: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ids: Vec<Arc<str>>,
    unreadable: HashSet<Arc<str>>,
    runners: BTreeMap<Arc<str>, i64>,
    time: u64,
}

impl FaultyStore {
    /// Creates a store whose runners have leases of this length, if any.
    pub fn new(lease: Option<Duration>) -> Self {
        let shared = Shared {
            lease,
            ..Shared::default()
        };
        Self::of(Arc::new(shared))
    }

    fn of(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            faults: Arc::new(Mutex::new((When::Never, Fault::Fails))),
            called: Arc::default(),
            goes_on: Arc::default(),
        }
    }

    /// The same tasks as another process sees them, without faults.
    pub fn other(&self) -> Self {
        Self::of(Arc::clone(&self.shared))
    }

    pub fn set(&self, when: When, fault: Fault) {
        *self.faults.lock().unwrap() = (when, fault);
    }

    /// Gives this fault to all operations from now on.
    pub fn break_down(&self, fault: Fault) {
        self.set(When::From(0), fault);
    }

    pub fn restore(&self) {
        self.set(When::Never, Fault::Fails);
    }

    pub fn go_on(&self) {
        self.goes_on.notify_one();
    }

    /// The number of operations so far.
    pub fn calls(&self) -> usize {
        self.called.borrow().len()
    }

    /// Waits until an operation with this name has begun.
    pub async fn until(&self, operation: &str) {
        let mut called = self.called.subscribe();
        let is_called = |called: &Vec<&str>| called.contains(&operation);
        called.wait_for(is_called).await.unwrap();
    }

    pub fn make_unreadable(&self, id: &str) {
        self.state().unreadable.insert(id.into());
    }

    /// The number of runners that have a lease.
    pub fn runners(&self) -> usize {
        self.state().runners.len()
    }

    /// All tasks that are stored.
    pub async fn all(&self) -> Vec<Arc<TaskRecord>> {
        let ids = self.state().ids.clone();
        let mut all = Vec::new();
        for id in ids {
            all.extend(self.shared.tasks.load(&id).await.unwrap());
        }
        all
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }

    fn run<T: Send + 'static>(
        &self,
        name: &'static str,
        operation: impl FnOnce(Self) -> TaskStoreFuture<T> + Send + 'static,
    ) -> TaskStoreFuture<T> {
        let mut number = 0;
        self.called.send_modify(|called| {
            number = called.len();
            called.push(name);
        });
        let (when, fault) = *self.faults.lock().unwrap();
        let is_faulty = match when {
            When::Never => false,
            When::At(at) => number == at,
            When::From(from) => number >= from,
        };
        let store = self.clone();
        let failed = || Err(TaskStoreError::Failed("a fault of the test".into()));
        Box::pin(async move {
            match fault {
                _ if !is_faulty => operation(store).await,
                Fault::Fails => failed(),
                Fault::LosesAnswer => operation(store).await.and_then(|_| failed()),
                Fault::Stalls => std::future::pending().await,
                Fault::Waits => {
                    store.goes_on.notified().await;
                    operation(store).await
                }
            }
        })
    }
}

impl TaskStore for FaultyStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> TaskStoreFuture<bool> {
        self.run("insert", move |store| {
            store.state().ids.push(Arc::clone(&task.id));
            store.shared.tasks.insert(task, limits)
        })
    }

    fn load(&self, id: &str) -> TaskStoreFuture<Option<Arc<TaskRecord>>> {
        let id = id.to_owned();
        self.run("load", move |store| {
            if store.state().unreadable.contains(&*id) {
                return Box::pin(async { Err(TaskStoreError::Unreadable("damaged".into())) });
            }
            store.shared.tasks.load(&id)
        })
    }

    fn replace(&self, task: TaskRecord) -> TaskStoreFuture<bool> {
        self.run("replace", |store| store.shared.tasks.replace(task))
    }

    fn remove(&self, id: &str) -> TaskStoreFuture<()> {
        let id = id.to_owned();
        self.run("remove", move |store| store.shared.tasks.remove(&id))
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        self.shared.tasks.changed(id, version)
    }

    fn due(&self, now: u64) -> TaskStoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        self.run("due", move |store| store.shared.tasks.due(now))
    }

    fn lease(&self) -> Option<Duration> {
        self.shared.lease
    }

    fn renew(&self, runner: &str, now: u64) -> TaskStoreFuture<Renewal> {
        let runner: Arc<str> = runner.into();
        self.run("renew", move |store| {
            Box::pin(async move {
                let tasks = store.all().await;
                let mut state = store.state();
                *state.runners.entry(Arc::clone(&runner)).or_default() += 1;
                state.time = state.time.max(now);
                let running = tasks.iter().filter(|task| !task.state.is_final());
                let runners: HashSet<_> = running.filter_map(|task| task.runner.clone()).collect();
                let with_tasks = runners.into_iter().map(|it| (it, None));
                let leases = state.runners.iter();
                let leases = leases.map(|(it, number)| (Arc::clone(it), Some(*number)));
                let mut runners: BTreeMap<_, _> = with_tasks.collect();
                runners.extend(leases);
                runners.remove(&runner);
                let now = state.time;
                let runners = runners.into_iter().collect();
                Ok(Renewal { now, runners })
            })
        })
    }

    fn release(&self, runner: &str) -> TaskStoreFuture<()> {
        let runner = runner.to_owned();
        self.run("release", move |store| {
            store.state().runners.remove(&*runner);
            Box::pin(async { Ok(()) })
        })
    }

    fn unfinished(&self, runner: &str) -> TaskStoreFuture<Vec<Arc<str>>> {
        let runner = runner.to_owned();
        self.run("unfinished", move |store| {
            Box::pin(async move {
                let tasks = store.all().await.into_iter();
                let unfinished = tasks.filter(|task| {
                    !task.state.is_final() && task.runner.as_deref() == Some(&*runner)
                });
                Ok(unfinished.map(|task| Arc::clone(&task.id)).collect())
            })
        })
    }
}
