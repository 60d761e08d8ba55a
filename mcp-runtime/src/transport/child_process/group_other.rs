//! The child alone, where there are no process groups.

use tokio::process::{Child, Command};

#[derive(Debug)]
pub(super) struct Group;

impl Group {
    pub(super) fn prepare(_command: &mut Command) {}

    pub(super) fn of(_child: &Child) -> Self {
        Self
    }

    /// Ends the child: it can't be asked.
    pub(super) fn terminate(&self, child: &mut Child) {
        // A child that is gone is what was asked for.
        let _ = child.start_kill();
    }

    /// Nothing: the child is ended by its own handle.
    pub(super) fn kill(&mut self) {}
}
