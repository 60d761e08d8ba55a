//! How a child is brought to its end.

use std::process::ExitStatus;
use std::time::Duration;

use crate::limits::CHILD_GRACE;

/// How long each step of ending a child may take.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::transport::child_process::Grace;
///
/// let impatient = Grace { close: Duration::from_millis(500), ..Grace::default() };
/// # drop(impatient);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// After its input was closed, until SIGTERM; 2 seconds by default.
    pub close: Duration,
    /// After SIGTERM, until SIGKILL; 2 seconds by default.
    pub terminate: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            close: CHILD_GRACE,
            terminate: CHILD_GRACE,
        }
    }
}

/// How a child came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit code, or the signal that ended it.
    pub status: ExitStatus,
    /// What it took.
    pub step: ExitStep,
}

/// What it took to end a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStep {
    /// It ended by itself, at the latest when its input was closed.
    Closed,
    /// It had to be asked with SIGTERM; outside Unix, it was ended.
    Terminated,
    /// It ignored that, and was ended with SIGKILL.
    Killed,
}
