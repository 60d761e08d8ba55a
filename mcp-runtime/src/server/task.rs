//! Work that goes on beside calls.

use tokio::task::AbortHandle;

use super::BoxFuture;

/// Begins a task. Boxed, all are of one type: what tokio makes of each type is a lot of code.
///
/// # Panics
///
/// Where there is no runtime of tokio.
pub(super) fn begin(work: BoxFuture<()>) -> AbortHandle {
    tokio::spawn(work).abort_handle()
}
