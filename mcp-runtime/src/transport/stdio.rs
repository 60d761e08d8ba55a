//! Standard streams of this process (2026-07-28, "stdio").

#[cfg(unix)]
#[path = "stdio/unix.rs"]
mod streams;

use std::io::{self, IsTerminal as _, Write as _};

use super::{FrameWriter, LineReader, LineWriter, MAX_FRAME_BYTES, Outbox, Transport};
use crate::connection::frame_limit;

/// Serves one client over the standard streams of this process.
///
/// On Unix, standard output is redirected to standard error while the transport is open. Output
/// from `println!`, libraries and child processes therefore does not mix with the messages, which
/// go to a copy of the original descriptor. On other platforms nothing else may write to standard
/// output meanwhile.
///
/// Sockets, and on Linux also pipes, are read and written without blocking a thread, and without
/// changing flags that other processes would see. Files and terminals are read and written by one
/// thread each.
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
        max_frame_bytes: MAX_FRAME_BYTES,
    }
}

/// The transport that [`stdio`] returns.
#[derive(Debug)]
pub struct Stdio {
    max_frame_bytes: usize,
}

frame_limit!(Stdio, max_frame_bytes);

impl Transport for Stdio {
    type Reader = LineReader<streams::Input>;
    type Writer = StdioWriter;

    /// Named in the error of a client that gets no answer, because its user probably meant to start
    /// a program.
    fn program(&self) -> Option<String> {
        let own = "this process's own standard input; to start a program, use ChildProcess::new(…)";
        Some(own.to_owned())
    }

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        if io::stdin().is_terminal() {
            // If standard error can't be written, there is nobody to read the message.
            let _ = writeln!(
                io::stderr(),
                "reading MCP messages from standard input: usually a client starts this program, not a person"
            );
        }
        let reader = LineReader::new(streams::input()?, self.max_frame_bytes);
        let writer = StdioWriter {
            lines: LineWriter::new(streams::output()?),
            // The redirection must come after the output is open.
            _redirect: streams::redirect()?,
        };
        Ok((reader, writer))
    }
}

/// Writes to the original standard output. Dropping it restores standard output.
pub struct StdioWriter {
    lines: LineWriter<streams::Output>,
    _redirect: streams::Redirect,
}

impl FrameWriter for StdioWriter {
    fn write(&mut self, outbox: &mut Outbox) -> impl Future<Output = io::Result<()>> + Send {
        self.lines.write(outbox)
    }

    fn takes_parts(&self) -> bool {
        self.lines.takes_parts()
    }

    fn in_transit(&self, outbox: &Outbox) -> usize {
        self.lines.in_transit(outbox)
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.lines.close()
    }
}

/// Standard streams on other platforms, with tokio's blocking pool. Standard output is not
/// redirected.
#[cfg(not(unix))]
mod streams {
    use std::io;

    pub(super) use tokio::io::{Stdin as Input, Stdout as Output};

    pub(super) struct Redirect;

    pub(super) fn input() -> io::Result<Input> {
        Ok(tokio::io::stdin())
    }

    pub(super) fn output() -> io::Result<Output> {
        Ok(tokio::io::stdout())
    }

    pub(super) fn redirect() -> io::Result<Redirect> {
        Ok(Redirect)
    }
}
