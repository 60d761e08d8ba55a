//! The standard error of child processes.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::ChildStderr;

use crate::limits::{CAPTURED_STDERR_BYTES, STDERR_LINE_BYTES};
use crate::sync::lock;

/// The destination of a child's standard error. Servers may write there for any reason, not only to
/// report errors.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// Each line is logged at level info.
    #[default]
    Log,
    /// The child writes to the standard error of this process.
    Inherit,
    /// The newest 64 KiB are kept in memory.
    Capture(Captured),
    /// Each line is passed to a function; see [`lines`](Self::lines).
    Lines(OnLine),
    /// The output is discarded.
    Discard,
}

/// The function of [`Stderr::lines`].
#[derive(Clone)]
pub struct OnLine(Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for OnLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnLine(…)")
    }
}

impl Stderr {
    /// Passes each line to `on_line` without its line break, for example to escape control
    /// characters before the line is shown on a terminal. Bytes that are not UTF-8 are replaced.
    /// Lines longer than 8 KiB are passed in parts.
    pub fn lines(on_line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::Lines(OnLine(Arc::new(on_line)))
    }

    pub(super) fn stdio(&self) -> Stdio {
        match self {
            Self::Log | Self::Capture(_) | Self::Lines(_) => Stdio::piped(),
            Self::Inherit => Stdio::inherit(),
            Self::Discard => Stdio::null(),
        }
    }

    /// Reads `stream` until the end, and keeps the newest output of `program` in `recent`.
    pub(super) async fn read(self, stream: ChildStderr, program: String, recent: Captured) {
        if let Err(error) = self.copy(stream, &program, &recent).await {
            tracing::debug!(program, %error, "standard error of a child can't be read");
        }
    }

    async fn copy(self, stream: ChildStderr, program: &str, recent: &Captured) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let mut part = (&mut stream).take(STDERR_LINE_BYTES);
            let count = match &self {
                Self::Capture(_) => part.read_buf(&mut bytes).await?,
                _ => part.read_until(b'\n', &mut bytes).await?,
            };
            if count == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&bytes);
            match &self {
                Self::Lines(on_line) => on_line.0(text.trim_end()),
                Self::Capture(captured) => captured.push(&bytes),
                _ => tracing::info!(program, "{}", text.trim_end()),
            }
            recent.push(&bytes);
        }
    }
}

/// The newest output of a child on standard error. Clones share the buffer.
#[derive(Clone, Debug)]
pub struct Captured {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Captured {
    /// Creates an empty buffer of 64 KiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(CAPTURED_STDERR_BYTES)
    }

    pub(super) fn with_limit(limit: usize) -> Self {
        Self {
            bytes: Arc::default(),
            limit,
        }
    }

    /// Returns the newest 64 KiB. Bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        let mut bytes = lock(&self.bytes);
        String::from_utf8_lossy(bytes.make_contiguous()).into_owned()
    }

    /// Adds output. Call this in a function for [`Stderr::lines`] to also keep the lines.
    pub fn push(&self, new: &[u8]) {
        let mut bytes = lock(&self.bytes);
        bytes.extend(new);
        let surplus = bytes.len().saturating_sub(self.limit);
        bytes.drain(..surplus);
    }
}

impl Default for Captured {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_kept() {
        let captured = Captured::new();
        captured.push(b"old");
        captured.push(&vec![b'n'; CAPTURED_STDERR_BYTES - 1]);
        let text = captured.text();
        assert_eq!(text.len(), CAPTURED_STDERR_BYTES);
        assert!(text.starts_with("dn"));
    }
}
