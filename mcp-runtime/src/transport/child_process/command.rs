//! What to start, and how.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;
use tokio::sync::Mutex;

use super::environment::safe;
use super::group::Group;
use super::process::{ChildWriter, Process};
use super::program::resolve;
use super::reader::ChildReader;
use super::stderr::Recent;
use super::{Exit, Grace, Stderr};
use crate::transport::{DEFAULT_MAX_FRAME_BYTES, LineReader, Transport};

/// What is called when a child has ended.
pub(super) type OnExit = Arc<dyn Fn(Exit) + Send + Sync>;

/// A server to be started as a child process; opening the transport starts it.
///
/// Closing the connection ends the child: its input is closed, and if it does not end by itself
/// it gets SIGTERM and finally SIGKILL, each after the time that [`Grace`] gives. A connection
/// that is dropped with its runtime kills it. On Unix the same signals go to all of the child's
/// process group: wrappers such as `npx` end together with what they have started. Descendants that
/// leave the group (`setsid`, daemons) are not reached. On Windows a job object ends all that the
/// child has started.
///
/// A child that ends by itself is started again, as [`Reconnect`](crate::client::Reconnect) says.
/// Calls and connecting fail with its [`ChildExited`](crate::ChildExited) until then.
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
    stderr: Stderr,
    grace: Grace,
    max_frame_bytes: usize,
    on_exit: Option<OnExit>,
}

impl ChildProcess {
    /// A server that is started as `program`, looked up in `PATH`, and on Windows with the extensions
    /// in `PATHEXT`, as a shell does.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            whole_environment: false,
            directory: None,
            stderr: Stderr::default(),
            grace: Grace::default(),
            max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
            on_exit: None,
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

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Passes on a variable of this process, if it is set.
    #[must_use]
    pub fn pass_env(self, name: impl AsRef<OsStr>) -> Self {
        match std::env::var_os(&name) {
            Some(value) => self.env(name.as_ref(), value),
            None => self,
        }
    }

    /// Passes on the whole environment of this process, secrets included. By default a child
    /// sees only what programs need to run, such as `PATH`, `HOME` and `LANG`.
    #[must_use]
    pub fn inherit_env(mut self) -> Self {
        self.whole_environment = true;
        self
    }

    /// The directory to run in; this process's own unless set.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Where its standard error goes; to the log unless set.
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// How much time it gets to end by itself.
    #[must_use]
    pub fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB unless set.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }

    /// Calls `observer` when the child has ended after its connection was closed.
    #[must_use]
    pub fn on_exit(mut self, observer: impl Fn(Exit) + Send + Sync + 'static) -> Self {
        self.on_exit = Some(Arc::new(observer));
        self
    }

    fn command(&self) -> Command {
        let directory = self.directory.as_deref();
        let program = resolve(&self.program, directory, &self.environment);
        let mut command = Command::new(program);
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
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        Group::prepare(&mut command);
        command
    }
}

impl Transport for ChildProcess {
    type Reader = ChildReader;
    type Writer = ChildWriter;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let program = self.program.to_string_lossy().into_owned();
        let mut child = self.command().spawn().map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("`{program}` can't be started: {error}"),
            )
        })?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let stderr = child.stderr.take();
        let recent = Recent::default();
        let stderr = stderr.map(|stream| {
            let (program, recent) = (program.clone(), recent.clone());
            tokio::spawn(self.stderr.read(stream, program, recent))
        });
        let process = Process::new(child, program, stderr, recent, self.grace, self.on_exit);
        let process = Arc::new(Mutex::new(process));
        let (input, output) = streams.ok_or(io::ErrorKind::BrokenPipe)?;
        let lines = LineReader::new(output, self.max_frame_bytes);
        Ok((
            ChildReader::new(lines, Arc::clone(&process)),
            ChildWriter::new(input, process),
        ))
    }

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither arguments nor environment: they may hold secrets.
        f.debug_struct("ChildProcess")
            .field("program", &self.program)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
