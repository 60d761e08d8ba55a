//! A child that runs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, ChildStdin};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::command::OnExit;
use super::group::Group;
use super::stderr::Recent;
use super::{Exit, ExitStep, Grace};
use crate::error::ChildExited;
use crate::limits::STDERR_TIMEOUT;
use crate::transport::{FrameWriter, LineWriter, Outbox};

/// The input of a child process, and the process itself: closing the one ends the other.
///
/// When it is dropped without being closed, the child is killed, on Unix with its process group.
#[derive(Debug)]
pub struct ChildWriter {
    input: Option<LineWriter<ChildStdin>>,
    process: Arc<Mutex<Process>>,
}

impl ChildWriter {
    pub(super) fn new(input: ChildStdin, process: Arc<Mutex<Process>>) -> Self {
        Self {
            input: Some(LineWriter::new(input)),
            process,
        }
    }
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

/// A child process, and all that belongs to it.
pub(super) struct Process {
    child: Child,
    program: String,
    group: Group,
    stderr: Option<JoinHandle<()>>,
    /// The newest of standard error.
    recent: Recent,
    grace: Grace,
    on_exit: Option<OnExit>,
    ended: bool,
}

impl Process {
    pub(super) fn new(
        child: Child,
        program: String,
        stderr: Option<JoinHandle<()>>,
        recent: Recent,
        grace: Grace,
        on_exit: Option<OnExit>,
    ) -> Self {
        Self {
            group: Group::of(&child),
            child,
            program,
            stderr,
            recent,
            grace,
            on_exit,
            ended: false,
        }
    }

    /// The end of the child, if it ends within `limit`. What is left of its standard error is waited
    /// for as long.
    pub(super) async fn exited(&mut self, limit: Duration) -> Option<ChildExited> {
        let deadline = Instant::now() + limit;
        let status = timeout_at(deadline, self.child.wait()).await.ok()?;
        if let Some(stderr) = &mut self.stderr
            && timeout_at(deadline, stderr).await.is_ok()
        {
            self.stderr = None;
        }
        Some(ChildExited {
            program: self.program.clone(),
            status: status.ok()?,
            stderr: self.recent.text(),
        })
    }

    /// Waits for the child, whose input is closed, and insists step by step (2026-07-28, "stdio",
    /// section Shutdown).
    async fn end(&mut self) -> io::Result<()> {
        let (status, step) = match timeout(self.grace.close, self.child.wait()).await {
            Ok(status) => (status?, ExitStep::Closed),
            Err(_) => self.insist().await?,
        };
        self.ended = true;
        // Descendants that outlived the child are ended with it.
        self.group.kill();
        if let Some(mut stderr) = self.stderr.take()
            && timeout(STDERR_TIMEOUT, &mut stderr).await.is_err()
        {
            stderr.abort();
        }
        tracing::debug!(%status, ?step, "the child process has ended");
        if let Some(on_exit) = &self.on_exit {
            on_exit(Exit { status, step });
        }
        Ok(())
    }

    async fn insist(&mut self) -> io::Result<(std::process::ExitStatus, ExitStep)> {
        self.group.terminate(&mut self.child);
        if let Ok(status) = timeout(self.grace.terminate, self.child.wait()).await {
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
            // The child itself is killed and reaped by tokio.
            self.group.kill();
        }
        if let Some(stderr) = &self.stderr {
            stderr.abort();
        }
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process")
            .field("child", &self.child)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}
