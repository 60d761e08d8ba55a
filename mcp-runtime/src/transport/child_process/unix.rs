//! Child processes on Unix.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// The process group of a child, including the descendants that have not left it.
///
/// Wrappers such as `npx` and `sh -c` start the server as their own child, and a signal to the
/// group reaches it as well. A separate group also keeps Ctrl-C on the terminal from ending the
/// server before the client can close it.
#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    /// Takes the group of a child that was just started.
    pub(super) fn new(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    /// Sends SIGTERM to all members.
    pub(super) fn terminate(&self, _child: &mut Child) {
        self.signal(Signal::TERM);
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        // Signaling fails if the group no longer exists.
        let _ = self.0.map(|leader| kill_process_group(leader, signal));
    }
}

/// Creates a command that starts `program` as the leader of a new group. The system looks it up in
/// `PATH`.
pub(super) fn command(
    program: &OsStr,
    _directory: Option<&Path>,
    _environment: &BTreeMap<OsString, OsString>,
) -> Command {
    let mut command = Command::new(program);
    command.process_group(0);
    command
}
