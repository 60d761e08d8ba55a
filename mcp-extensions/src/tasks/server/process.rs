//! The part of a server's tasks that is a process's own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mcp_runtime::Server;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::lease::Lease;
use crate::tasks::lock;

/// The part of a server's tasks that is this process's own.
pub(super) struct Process {
    /// The name of the process as a runner.
    pub(super) runner: Arc<str>,
    state: Mutex<State>,
    /// Notified when there is something to do before the next pass of the maintenance.
    pub(super) wake: Notify,
    /// The tasks that this process works on.
    pub(super) working: watch::Sender<HashSet<Arc<str>>>,
    pub(super) phase: watch::Sender<Phase>,
}

/// How far the shutdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Serving,
    /// The work on tasks has to stop, and its end to be stored.
    Stopping,
    /// Results that are not stored yet are given up.
    Stopped,
}

#[derive(Default)]
pub(super) struct State {
    /// The number of times that the server is being served.
    pub(super) served: usize,
    pub(super) server: Option<Server>,
    pub(super) maintenance: Option<JoinHandle<()>>,
    /// Where the maintenance runs.
    pub(super) runtime: Option<Handle>,
    pub(super) lease: Lease,
    /// The other runners that have stopped.
    pub(super) stopped: Vec<Arc<str>>,
    /// The time of the store at which the next task expires, in ms.
    pub(super) next: Option<u64>,
    /// Tasks of this process on which it does not work, and how the maintenance ends them.
    pub(super) left: HashMap<Arc<str>, Left>,
}

/// How a task is ended that this process does not work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// As a task of a process that has stopped.
    Recover,
    /// No client knows of it.
    Remove,
}

/// An id that can't be guessed: 128 random bits.
pub(super) fn random_id() -> Arc<str> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    format!("{:032x}", u128::from_ne_bytes(bytes)).into()
}

/// Work on a task. If it is dropped before the end of the task is stored, the task is left to the
/// maintenance.
pub(super) struct Working {
    process: Arc<Process>,
    id: Arc<str>,
    pub(super) is_done: bool,
}

impl Drop for Working {
    fn drop(&mut self) {
        if !self.is_done {
            self.process.leave(&self.id, Left::Recover);
            self.process.wake.notify_one();
        }
        self.process.working.send_modify(|ids| {
            ids.remove(&self.id);
        });
    }
}

impl Process {
    /// A process whose lease has this length, if it needs one.
    pub(super) fn new(lease: Option<Duration>) -> Self {
        let process = Self {
            runner: random_id(),
            state: Mutex::default(),
            wake: Notify::new(),
            working: watch::Sender::default(),
            phase: watch::Sender::new(Phase::Serving),
        };
        process.state().lease.length = lease;
        process
    }

    /// Begins the work on a task.
    pub(super) fn work(self: &Arc<Self>, id: &Arc<str>) -> Working {
        self.working.send_modify(|ids| {
            ids.insert(Arc::clone(id));
        });
        Working {
            process: Arc::clone(self),
            id: Arc::clone(id),
            is_done: false,
        }
    }

    /// Leaves a task of this process to the maintenance.
    pub(super) fn leave(&self, id: &Arc<str>, how: Left) {
        self.state().left.insert(Arc::clone(id), how);
    }

    /// The tasks that are left to the maintenance.
    pub(super) fn left(&self) -> HashMap<Arc<str>, Left> {
        self.state().left.clone()
    }

    /// Waits until the shutdown has come so far.
    pub(super) async fn reached(&self, phase: Phase) {
        // The sender is that of `self`.
        let _ = self.phase.subscribe().wait_for(|it| *it >= phase).await;
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Notes that the server is served once less. Returns true if it still is.
    pub(super) fn is_served_still(&self) -> bool {
        let mut state = self.state();
        state.served = state.served.saturating_sub(1);
        state.served > 0
    }

    /// Ends the maintenance, and lets go of the server, which has the tasks.
    pub(super) async fn end_maintenance(&self) {
        let maintenance = {
            let mut state = self.state();
            state.server = None;
            state.maintenance.take()
        };
        if let Some(maintenance) = maintenance {
            maintenance.abort();
            // Only now is it certain that it does nothing more.
            let _ = maintenance.await;
        }
    }
}
