//! Commands that start servers.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;

use super::platform;
use super::stderr::Stderr;
use crate::connection::frame_limit;
use crate::limits::CHILD_GRACE;
use crate::transport::MAX_FRAME_BYTES;

type OnExit = Arc<dyn Fn(Exit) + Send + Sync>;

/// Environment variables that programs need to run and that hold no secrets. Everything else, such
/// as tokens and keys, must be passed on by name.
const SAFE: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // Windows.
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// Time limits for the steps that end a child process.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::transport::child_process::Grace;
///
/// let impatient = Grace { close: Duration::from_millis(500), ..Grace::default() };
/// # drop(impatient);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// From closing the child's input until SIGTERM; 2 seconds by default.
    pub close: Duration,
    /// From SIGTERM until SIGKILL; 2 seconds by default.
    pub terminate: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            close: CHILD_GRACE,
            terminate: CHILD_GRACE,
        }
    }
}

/// How a child process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// The exit code, or the signal that ended the child.
    pub status: ExitStatus,
    /// The step that ended the child.
    pub step: ExitStep,
}

/// A step that can end a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStep {
    /// The child exited on its own, at the latest when its input was closed.
    Closed,
    /// The child ended after SIGTERM, or, outside Unix, was killed without further delay.
    Terminated,
    /// The child was killed with SIGKILL.
    Killed,
}

/// A server as a child process, which is started when the transport is opened.
///
/// Closing the connection ends the child: its input is closed, and if it does not exit, it gets
/// SIGTERM and finally SIGKILL, each after the time that [`Grace`] gives. If the connection is
/// dropped with its runtime, the child is killed immediately. On Unix the signals go to the child's
/// whole process group, so wrappers such as `npx` end together with the processes they have
/// started. Descendants that leave the group (`setsid`, daemons) are not reached. On Windows a job
/// object ends every process that the child has started.
///
/// A child that exits on its own is started again; see [`Reconnect`](crate::client::Reconnect).
/// Until then, calls and attempts to connect fail with [`ChildExited`](crate::ChildExited).
///
/// ```no_run
/// # async fn example() -> Result<(), mcp_runtime::ConnectError> {
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::ChildProcess;
///
/// let server = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
/// let client = Client::builder("example", "1.0.0").connect(server).await?;
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ChildProcess {
    program: OsString,
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    whole_environment: bool,
    directory: Option<PathBuf>,
    pub(super) stderr: Stderr,
    pub(super) grace: Grace,
    pub(super) max_frame_bytes: usize,
    pub(super) on_exit: Option<OnExit>,
    pub(super) ends_with_parent: bool,
}

frame_limit!(ChildProcess, max_frame_bytes);

impl ChildProcess {
    /// A server that `program` starts. The program is looked up in `PATH`, on Windows also with the
    /// extensions in `PATHEXT`, as a shell does.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            whole_environment: false,
            directory: None,
            stderr: Stderr::default(),
            grace: Grace::default(),
            max_frame_bytes: MAX_FRAME_BYTES,
            on_exit: None,
            ends_with_parent: false,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable of the child.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Sets environment variables of the child.
    #[must_use]
    pub fn envs(
        self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let variables = variables.into_iter();
        variables.fold(self, |child, (name, value)| child.env(name, value))
    }

    /// Passes on an environment variable of this process, if it is set.
    #[must_use]
    pub fn pass_env(self, name: impl AsRef<OsStr>) -> Self {
        match std::env::var_os(&name) {
            Some(value) => self.env(name.as_ref(), value),
            None => self,
        }
    }

    /// Passes on the whole environment of this process, including secrets. By default a child gets
    /// only the variables that programs need to run, such as `PATH`, `HOME` and `LANG`.
    #[must_use]
    pub fn inherit_env(mut self) -> Self {
        self.whole_environment = true;
        self
    }

    /// Sets the directory in which the child runs; by default the directory of this process.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets the destination of the child's standard error; the log by default.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// Sets how much time the child gets to exit.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// Calls `observer` when the connection was closed and the child has ended.
    #[must_use]
    pub fn on_exit(mut self, observer: impl Fn(Exit) + Send + Sync + 'static) -> Self {
        self.on_exit = Some(Arc::new(observer));
        self
    }

    /// Also ends the child if this process is killed, even with SIGKILL, and the child ignores that
    /// its input is closed.
    ///
    /// On Unix, a second process (`/bin/sh`) waits next to the child for the end of this process, and
    /// then sends the signals that [`Grace`] describes. On Windows, the job object always has this
    /// effect.
    #[must_use]
    pub fn ends_with_parent(mut self) -> Self {
        self.ends_with_parent = true;
        self
    }

    /// The name of the program in messages.
    pub(super) fn program_name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    pub(super) fn command(&self) -> Command {
        let directory = self.directory.as_deref();
        let mut command = platform::command(&self.program, directory, &self.environment);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(self.stderr.stdio())
            .kill_on_drop(true);
        if !self.whole_environment {
            command.env_clear().envs(safe(std::env::vars_os()));
        }
        command.envs(&self.environment);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        command
    }
}

impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments and environment may hold secrets.
        f.debug_struct("ChildProcess")
            .field("program", &self.program)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// Keeps the `variables` that a child gets by default.
fn safe(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    variables.filter(|(name, value)| {
        let known = name.to_str().is_some_and(|name| SAFE.contains(&name));
        // Old versions of Bash run such a value as a function.
        known && !value.to_string_lossy().starts_with("()")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_functions_are_not_passed_on() {
        let variables = [
            ("PATH", "/bin"),
            ("API_KEY", "secret"),
            ("TERM", "() { :; }; echo"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let safe: Vec<_> = safe(variables.into_iter()).collect();
        assert_eq!(safe, [("PATH".into(), "/bin".into())]);
    }
}
