//! Child processes on Unix.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// The process group of a child, with those of its descendants that do not leave it.
///
/// Wrappers such as `npx` and `sh -c` start the server as a child of theirs; a signal to the group
/// reaches it as well. A group of its own also keeps Ctrl-C, typed at the terminal, from ending the
/// server before the client can close it.
#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    /// The group of a child that was just started.
    pub(super) fn new(child: &Child) -> Self {
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
        // Fails if the group has ended.
        let _ = self.0.map(|leader| kill_process_group(leader, signal));
    }
}

/// A command that starts `program`, which the system looks up in `PATH`, as the leader of a group.
pub(super) fn command(
    program: &OsStr,
    _directory: Option<&Path>,
    _environment: &BTreeMap<OsString, OsString>,
) -> Command {
    let mut command = Command::new(program);
    command.process_group(0);
    command
}
