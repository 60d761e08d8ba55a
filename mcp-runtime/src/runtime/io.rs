//! The runtime of `#[mcp_runtime::main]`, with I/O.

use tokio::runtime::Builder;

/// A runtime on the current thread, with I/O and time.
pub(crate) fn builder() -> Builder {
    let mut builder = Builder::new_current_thread();
    // Room for a thousand takes pages that a server which just starts has no use for.
    builder.enable_all().max_io_events_per_tick(64);
    builder
}
