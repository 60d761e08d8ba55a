//! The output of a child process.

use std::io;
use std::sync::Arc;

use tokio::process::ChildStdout;
use tokio::sync::Mutex;

use super::process::Process;
use crate::limits::EXIT_STATUS_TIMEOUT;
use crate::transport::{FrameReader, Incoming, LineReader};

/// The output of a child process. Once it has ended because the child has, reading fails with
/// [`ChildExited`](crate::ChildExited).
#[derive(Debug)]
pub struct ChildReader {
    lines: LineReader<ChildStdout>,
    process: Arc<Mutex<Process>>,
    ended: bool,
}

impl ChildReader {
    pub(super) fn new(lines: LineReader<ChildStdout>, process: Arc<Mutex<Process>>) -> Self {
        Self {
            lines,
            process,
            ended: false,
        }
    }
}

impl FrameReader for ChildReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        self.lines.next_frame()
    }

    async fn fill(&mut self) -> io::Result<bool> {
        if !self.ended {
            self.ended = !self.lines.fill().await?;
            // At the end, a last line without a line break can be taken.
            return Ok(true);
        }
        let exited = self.process.lock().await.exited(EXIT_STATUS_TIMEOUT).await;
        exited.map_or(Ok(false), |exited| Err(io::Error::other(exited)))
    }
}
