//! Child processes on Unix.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::command::Grace;

/// Ends the process group `$1` once standard input is closed, as happens when the parent ends.
const WATCHER: &str = "read -r _; sleep $2; kill -s TERM -- -$1 && sleep $3 && kill -s KILL -- -$1";

/// The process group of a child, including the descendants that have not left it.
///
/// Wrappers such as `npx` and `sh -c` start the server as their own child, and a signal to the
/// group reaches it as well. A separate group also keeps Ctrl-C on the terminal from ending the
/// server before the client can close it.
#[derive(Debug)]
pub(super) struct Group {
    leader: Option<Pid>,
    /// Killed when it is dropped, which must be before its input is closed.
    _watcher: Option<Child>,
}

impl Group {
    /// Takes the group of a child that was just started. With `watched`, the group ends with this
    /// process.
    pub(super) fn new(child: &Child, watched: Option<Grace>) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let leader = id.and_then(Pid::from_raw);
        let watcher = leader
            .zip(watched)
            .map(|(leader, grace)| watch(leader, grace));
        Self {
            leader,
            _watcher: watcher.transpose().unwrap_or_else(|error| {
                crate::log::warn!(%error, "a child process may outlive this process");
                None
            }),
        }
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
        let _ = self.leader.map(|leader| kill_process_group(leader, signal));
    }
}

/// Starts a process that ends the group of `leader` after this process has ended.
fn watch(leader: Pid, grace: Grace) -> io::Result<Child> {
    // POSIX knows only whole seconds.
    let seconds = |time: Duration| time.as_secs_f64().ceil().to_string();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHER, "sh", &leader.as_raw_nonzero().to_string()]);
    command.args([grace.close, grace.terminate].map(seconds));
    // Signals to the group of this process must not end the watcher.
    command.process_group(0).kill_on_drop(true);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
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
