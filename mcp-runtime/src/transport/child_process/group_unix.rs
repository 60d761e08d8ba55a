//! The child and those of its descendants that do not leave it, as a process group of their own.
//!
//! Wrappers such as `npx` and `sh -c` start the server as a process of theirs; a signal to the
//! group reaches it as well. A group of its own also keeps Ctrl-C, typed at the terminal, from
//! ending the server before the client can close it.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    /// Makes the child that `command` starts the leader of a group.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// The group of a child that was just started.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    /// Asks all members to end.
    pub(super) fn terminate(&self, _child: &mut Child) {
        self.signal(Signal::TERM);
    }

    /// Ends all members.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // A group that is gone is what was asked for.
        let _ = self.0.map(|leader| kill_process_group(leader, signal));
    }
}
