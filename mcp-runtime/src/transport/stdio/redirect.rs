//! Standard output that is standard error for a while.

use std::io::{self, Write as _};

use stdio_utils::{Guard, StdioOverride as _};

/// Redirects standard output to standard error until it is dropped.
pub(super) struct Redirect {
    /// Restores standard output; child processes do not inherit its duplicate.
    _guard: Guard,
}

/// Redirects standard output to standard error.
///
/// # Errors
///
/// When the operating system has no descriptor left, or what was printed before can't be written.
pub(super) fn redirect() -> io::Result<Redirect> {
    io::stdout().flush()?;
    let guard = io::stderr().override_stdout()?;
    Ok(Redirect { _guard: guard })
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // Text without a line break goes to standard error too, if that can be written at all.
        let _ = io::stdout().flush();
    }
}
