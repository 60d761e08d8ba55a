//! What limits are compared with.

use super::TaskRecord;
use crate::tasks::limits::TaskLimits;

/// What tasks use: those of a principal, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The number of tasks that have not ended.
    pub(super) running: usize,
    /// The bytes of all tasks.
    pub(super) bytes: usize,
}

impl Usage {
    pub(super) fn of(task: &TaskRecord) -> Self {
        Self {
            running: usize::from(!task.state.is_final()),
            bytes: task.bytes(),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.running += other.running;
        self.bytes += other.bytes;
    }

    pub(super) fn remove(&mut self, other: Self) {
        self.running -= other.running;
        self.bytes -= other.bytes;
    }

    /// Returns true if a task may be added, where a principal has `self` and all have `total`.
    pub(super) fn has_room(self, total: Self, task: Self, limits: TaskLimits) -> bool {
        let within = |used: Self, running, bytes| {
            used.running + task.running <= running && used.bytes + task.bytes <= bytes
        };
        within(total, limits.running, limits.bytes)
            && within(self, limits.running_each, limits.bytes_each)
    }
}
