//! The runtime of `#[mcp_runtime::main]`, without I/O.

use tokio::runtime::Builder;

/// A runtime on the current thread, with time.
pub(crate) fn builder() -> Builder {
    let mut builder = Builder::new_current_thread();
    builder.enable_all();
    builder
}
