//! The part of a server's tasks that is a process's own.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_runtime::Server;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

/// The part of a server's tasks that is this process's own.
pub(super) struct Process {
    /// The name of the process as a runner.
    pub(super) runner: Arc<str>,
    state: Mutex<State>,
    /// Notified when a task was created that expires before all others.
    pub(super) created: Notify,
    /// The number of tasks that this process works on.
    pub(super) working: watch::Sender<usize>,
    is_stopping: AtomicBool,
    /// Notified when the work on tasks has to stop.
    stopped: Notify,
}

#[derive(Default)]
pub(super) struct State {
    /// The number of times that the server is being served.
    pub(super) served: usize,
    pub(super) server: Option<Server>,
    pub(super) maintenance: Option<JoinHandle<()>>,
    /// Where the maintenance runs.
    pub(super) runtime: Option<Handle>,
    /// True once the process has a lease.
    pub(super) is_leased: bool,
    /// The time at which the next task expires, in ms since 1970.
    pub(super) next: Option<u64>,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            runner: random_id(),
            state: Mutex::default(),
            created: Notify::new(),
            working: watch::Sender::default(),
            is_stopping: AtomicBool::new(false),
            stopped: Notify::new(),
        }
    }
}

/// An id that can't be guessed: 128 random bits.
pub(super) fn random_id() -> Arc<str> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    format!("{:032x}", u128::from_ne_bytes(bytes)).into()
}

/// Counts a task that this process works on, until it is dropped.
pub(super) struct Working(Arc<Process>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.send_modify(|count| *count -= 1);
    }
}

impl Process {
    /// Begins the work on a task.
    pub(super) fn work(self: &Arc<Self>) -> Working {
        self.working.send_modify(|count| *count += 1);
        Working(Arc::clone(self))
    }

    /// Lets the work on tasks go on, or stops it.
    pub(super) fn set_stopping(&self, is_stopping: bool) {
        self.is_stopping.store(is_stopping, Ordering::SeqCst);
        if is_stopping {
            self.stopped.notify_waiters();
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// Waits until the work on tasks has to stop.
    pub(super) async fn stopping(&self) {
        let stopped = pin!(self.stopped.notified());
        if !self.is_stopping() {
            stopped.await;
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the server is served once less. Returns true if it still is.
    pub(super) fn is_served_still(&self) -> bool {
        let mut state = self.state();
        state.served = state.served.saturating_sub(1);
        state.served > 0
    }

    /// Ends the maintenance, and lets go of the server, which has the tasks.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.server = None;
        if let Some(maintenance) = state.maintenance.take() {
            maintenance.abort();
        }
    }
}
