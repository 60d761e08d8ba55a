//! Default limits and times of tasks.

use std::time::Duration;

/// The time between two requests for a task's status, where the server suggests none.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two requests for a task's status, whatever the server suggests.
pub(super) const MIN_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time between two requests for a task's status, whatever the server suggests.
pub(super) const MAX_POLL_INTERVAL: Duration = Duration::from_secs(60 * 60);
