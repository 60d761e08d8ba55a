//! The state of a process that works on tasks.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mcp_runtime::Server;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::lease::Lease;
use crate::tasks::lock;

/// The part of a server's tasks that belongs to this process.
pub(super) struct Process {
    /// The id of this process as a runner.
    pub(super) runner: Arc<str>,
    state: Mutex<State>,
    /// Notified when the maintenance has something to do before its next pass.
    pub(super) wake: Notify,
    pub(super) working: watch::Sender<HashSet<Arc<str>>>,
    pub(super) phase: watch::Sender<Phase>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Serving,
    /// Work on tasks has to stop, and the end of each task has to be stored.
    Stopping,
    /// Results that are not stored yet are lost.
    Stopped,
}

#[derive(Default)]
pub(super) struct State {
    /// How many times the server is currently being served.
    pub(super) served: usize,
    pub(super) server: Option<Server>,
    pub(super) maintenance: Option<JoinHandle<()>>,
    pub(super) runtime: Option<Handle>,
    pub(super) lease: Lease,
    pub(super) stopped: Vec<Arc<str>>,
    /// The time of the store at which the next task expires, in ms.
    pub(super) next: Option<u64>,
    /// The tasks of this process that it does not work on, and how the maintenance ends them.
    pub(super) left: HashMap<Arc<str>, Left>,
}

/// How to end a task that this process does not work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Recover the task, like a task of a process that has stopped.
    Recover,
    /// Remove the task, because no client knows of it.
    Remove,
}

/// Creates an id that can't be guessed, from 128 random bits.
pub(super) fn random_id() -> Arc<str> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    format!("{:032x}", u128::from_ne_bytes(bytes)).into()
}

/// A guard for the work on a task. If it is dropped before the end of the task is stored, the
/// maintenance ends the task.
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

    pub(super) fn left(&self) -> HashMap<Arc<str>, Left> {
        self.state().left.clone()
    }

    pub(super) async fn reached(&self, phase: Phase) {
        // This can't fail, because `self` owns the sender.
        let _ = self.phase.subscribe().wait_for(|it| *it >= phase).await;
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Records that one of the runs of the server has ended. Returns true if another one continues.
    pub(super) fn is_served_still(&self) -> bool {
        let mut state = self.state();
        state.served = state.served.saturating_sub(1);
        state.served > 0
    }

    /// Ends the maintenance, and drops the server, which owns the tasks.
    pub(super) async fn end_maintenance(&self) {
        let maintenance = {
            let mut state = self.state();
            state.server = None;
            state.maintenance.take()
        };
        if let Some(maintenance) = maintenance {
            maintenance.abort();
            // Until this returns, the maintenance may still be running.
            let _ = maintenance.await;
        }
    }
}
