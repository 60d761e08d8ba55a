//! Standard output that is standard error for a while.

use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::stdio::dup2_stdout;

/// Redirects standard output to standard error until it is dropped.
#[derive(Debug)]
pub(super) struct Redirect {
    /// A duplicate of standard output, which child processes do not inherit.
    original: OwnedFd,
}

/// Redirects standard output to standard error.
///
/// # Errors
///
/// When the operating system has no descriptor left.
pub(super) fn redirect() -> io::Result<Redirect> {
    let mut stdout = io::stdout();
    // Text that was printed before belongs to the original.
    stdout.flush()?;
    let original = stdout.as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    Ok(Redirect { original })
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // Also text without a line break goes to standard error, if that can be written at all.
        let _ = io::stdout().flush();
        if let Err(error) = dup2_stdout(&self.original) {
            tracing::warn!(%error, "standard output could not be restored");
        }
    }
}
