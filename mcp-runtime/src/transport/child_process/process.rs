//! A running child process, the two directions of its connection, and how it is ended.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::command::{ChildProcess, Exit, ExitStep};
use super::platform::Group;
use super::stderr::Captured;
use crate::error::ChildExited;
use crate::limits::{EXIT_STATUS_TIMEOUT, EXIT_STDERR_BYTES, STDERR_TIMEOUT};
use crate::transport::{
    FrameReader, FrameWriter, Incoming, LineReader, LineWriter, Outbox, Transport,
};

impl Transport for ChildProcess {
    type Reader = ChildReader;
    type Writer = ChildWriter;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let max_frame_bytes = self.max_frame_bytes;
        let mut process = Process::spawn(self)?;
        let streams = process.child.stdin.take().zip(process.child.stdout.take());
        let (input, output) = streams.ok_or(io::ErrorKind::BrokenPipe)?;
        let process = Arc::new(Mutex::new(process));
        let reader = ChildReader {
            lines: LineReader::new(output, max_frame_bytes),
            process: Arc::clone(&process),
            ended: false,
        };
        let writer = ChildWriter {
            input: Some(LineWriter::new(input)),
            process,
        };
        Ok((reader, writer))
    }

    fn again(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn program(&self) -> Option<String> {
        Some(self.program_name())
    }
}

/// Reads the output of a child process. At the end of the output, reading fails with
/// [`ChildExited`](crate::ChildExited) if the child has exited.
#[derive(Debug)]
pub struct ChildReader {
    lines: LineReader<ChildStdout>,
    process: Arc<Mutex<Process>>,
    ended: bool,
}

impl FrameReader for ChildReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        self.lines.next_frame()
    }

    async fn fill(&mut self) -> io::Result<bool> {
        if !self.ended {
            self.ended = !self.lines.fill().await?;
            // The last line may be unread if it has no line break.
            return Ok(true);
        }
        let exited = self.process.lock().await.exited(EXIT_STATUS_TIMEOUT).await;
        exited.map_or(Ok(false), |exited| Err(io::Error::other(exited)))
    }
}

/// Writes the input of a child process. Closing it ends the process.
///
/// If it is dropped without being closed, the child is killed, on Unix together with its process
/// group.
#[derive(Debug)]
pub struct ChildWriter {
    input: Option<LineWriter<ChildStdin>>,
    process: Arc<Mutex<Process>>,
}

impl FrameWriter for ChildWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        match &mut self.input {
            Some(input) => input.write(outbox).await,
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input = None;
        self.process.lock().await.end().await
    }

    fn in_transit(&self, outbox: &Outbox) -> usize {
        let input = self.input.as_ref();
        input.map_or(0, |input| input.in_transit(outbox))
    }
}

/// A child process with its process group and standard error.
#[derive(Debug)]
struct Process {
    child: Child,
    command: ChildProcess,
    group: Group,
    stderr: Option<JoinHandle<()>>,
    /// The newest 4 KiB of standard error.
    recent: Captured,
    ended: bool,
}

impl Process {
    /// Starts the child process.
    ///
    /// # Errors
    ///
    /// When the program does not exist, or the operating system can't start it.
    fn spawn(command: ChildProcess) -> io::Result<Self> {
        let program = command.program_name();
        let mut child = command.command().spawn().map_err(|error| {
            let mut reason = format!("`{program}` can't be started: {error}");
            if error.kind() == io::ErrorKind::NotFound && program.contains(' ') {
                reason.push_str("; pass arguments with `.args([\"…\"])`");
            }
            io::Error::new(error.kind(), reason)
        })?;
        let recent = Captured::with_limit(EXIT_STDERR_BYTES);
        let stderr = child.stderr.take().map(|stream| {
            let stderr = command.stderr.clone();
            tokio::spawn(stderr.read(stream, program, recent.clone()))
        });
        Ok(Self {
            group: Group::new(&child, command.ends_with_parent.then_some(command.grace)),
            child,
            command,
            stderr,
            recent,
            ended: false,
        })
    }

    /// Waits until the child has exited, at most for `limit`, and reads the rest of its standard
    /// error if that also ends in time.
    async fn exited(&mut self, limit: Duration) -> Option<ChildExited> {
        let deadline = Instant::now() + limit;
        let status = timeout_at(deadline, self.child.wait()).await.ok()?;
        self.read_stderr(deadline).await;
        Some(ChildExited {
            program: self.command.program_name(),
            status: status.ok()?,
            stderr: self.recent.text(),
            output: None,
        })
    }

    /// Waits for the end of standard error, which descendants of the child may keep open.
    async fn read_stderr(&mut self, deadline: Instant) {
        if let Some(stderr) = &mut self.stderr
            && timeout_at(deadline, stderr).await.is_ok()
        {
            self.stderr = None;
        }
    }

    /// Waits for the child, whose input is closed, then terminates and finally kills it
    /// (2026-07-28, "stdio", section "Shutdown").
    async fn end(&mut self) -> io::Result<()> {
        let (status, step) = match timeout(self.command.grace.close, self.child.wait()).await {
            Ok(status) => (status?, ExitStep::Closed),
            Err(_) => self.terminate().await?,
        };
        self.ended = true;
        // Descendants may have outlived the child.
        self.group.kill();
        self.read_stderr(Instant::now() + STDERR_TIMEOUT).await;
        tracing::debug!(%status, ?step, "the child process has ended");
        if let Some(on_exit) = &self.command.on_exit {
            on_exit(Exit { status, step });
        }
        Ok(())
    }

    async fn terminate(&mut self) -> io::Result<(ExitStatus, ExitStep)> {
        self.group.terminate(&mut self.child);
        if let Ok(status) = timeout(self.command.grace.terminate, self.child.wait()).await {
            return Ok((status?, ExitStep::Terminated));
        }
        self.group.kill();
        self.child.start_kill()?;
        Ok((self.child.wait().await?, ExitStep::Killed))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ended {
            // tokio kills and reaps only the child itself.
            self.group.kill();
        }
        if let Some(stderr) = &self.stderr {
            stderr.abort();
        }
    }
}
