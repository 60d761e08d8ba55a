//! Standard streams of this process (2026-07-28, "stdio").

#[cfg(unix)]
mod blocking;
#[cfg_attr(unix, path = "stdio/nonblocking.rs")]
#[cfg_attr(not(unix), path = "stdio/tokio.rs")]
mod streams;

use std::io;

use super::{DEFAULT_MAX_FRAME_BYTES, LineReader, LineWriter, Transport};

/// The standard streams of this process, as a server uses them.
///
/// Nothing else may write to standard output while it is served; logs belong on standard error.
/// Sockets, and on Linux pipes, are read and written without blocking a thread, and without
/// changing a flag that other processes would see; files and terminals are left to a thread each.
///
/// ```no_run
/// use mcp_runtime::prelude::*;
///
/// # struct Calculator;
/// # #[mcp_server] impl Calculator {}
/// #[mcp_runtime::main]
/// async fn main() -> Result<(), ServeError> {
///     Calculator.serve(stdio()).await
/// }
/// ```
#[must_use]
pub fn stdio() -> Stdio {
    Stdio {
        max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
    }
}

/// The transport that [`stdio`] makes.
#[derive(Debug)]
pub struct Stdio {
    max_frame_bytes: usize,
}

impl Stdio {
    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }
}

impl Transport for Stdio {
    type Reader = LineReader<streams::Input>;
    type Writer = LineWriter<streams::Output>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        Ok((
            LineReader::new(streams::input()?, self.max_frame_bytes),
            LineWriter::new(streams::output()?),
        ))
    }
}
