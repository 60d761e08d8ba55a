//! What a child says on standard error.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::ChildStderr;

use crate::limits::{CAPTURED_STDERR_BYTES, EXIT_STDERR_BYTES, STDERR_LINE_BYTES};

/// Where the standard error of a child goes. A child may write there for any reason, not only
/// about errors.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// Each line becomes a log message, at level info.
    #[default]
    Log,
    /// To the standard error of this process.
    Inherit,
    /// Kept in memory, the newest 64 KiB.
    Capture(Captured),
    /// Nowhere.
    Discard,
}

impl Stderr {
    pub(super) fn stdio(&self) -> Stdio {
        match self {
            Self::Log | Self::Capture(_) => Stdio::piped(),
            Self::Inherit => Stdio::inherit(),
            Self::Discard => Stdio::null(),
        }
    }

    /// Reads until the end, where there is something to be read.
    pub(super) async fn read(self, stream: ChildStderr, program: String, recent: Recent) {
        let read = match self {
            Self::Log => log(stream, &program, &recent).await,
            Self::Capture(captured) => captured.fill(stream, &recent).await,
            Self::Inherit | Self::Discard => Ok(()),
        };
        if let Err(error) = read {
            tracing::debug!(program, %error, "standard error of a child can't be read");
        }
    }
}

async fn log(stream: ChildStderr, program: &str, recent: &Recent) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut part = (&mut stream).take(STDERR_LINE_BYTES);
        if part.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        recent.0.keep(&line);
        let line = String::from_utf8_lossy(&line);
        tracing::info!(program, "{}", line.trim_end());
    }
}

/// The newest of what a child said on standard error. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Captured(Newest<CAPTURED_STDERR_BYTES>);

/// The newest 4 KiB of standard error, for the error that tells of the end of a child.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(Newest<EXIT_STDERR_BYTES>);

impl Recent {
    pub(super) fn text(&self) -> String {
        self.0.text()
    }
}

/// The newest `LIMIT` bytes of a stream.
#[derive(Clone, Debug, Default)]
struct Newest<const LIMIT: usize>(Arc<Mutex<VecDeque<u8>>>);

impl<const LIMIT: usize> Newest<LIMIT> {
    fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }

    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(LIMIT);
        kept.drain(..surplus);
    }
}

impl Captured {
    /// Room for what a child will say.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is kept, the newest 64 KiB. Bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text()
    }

    async fn fill(&self, mut stream: ChildStderr, recent: &Recent) -> std::io::Result<()> {
        let mut buffer = vec![0; 4096];
        loop {
            let count = stream.read(&mut buffer).await?;
            if count == 0 {
                return Ok(());
            }
            self.0.keep(&buffer[..count]);
            recent.0.keep(&buffer[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_kept() {
        let captured = Captured::new();
        captured.0.keep(b"old");
        captured.0.keep(&vec![b'n'; CAPTURED_STDERR_BYTES - 1]);
        let text = captured.text();
        assert_eq!(text.len(), CAPTURED_STDERR_BYTES);
        assert!(text.starts_with("dn"));
    }
}
