//! A server with a resource that changes, and notifications for its subscribers.

use std::sync::atomic::{AtomicU64, Ordering};

use mcp_runtime::prelude::*;

const URI: &str = "counter://count";

#[derive(Default)]
struct Counter {
    count: AtomicU64,
}

#[mcp_server(name = "subscriptions")]
impl Counter {
    /// The count.
    #[resource("counter://count", mime = "text/plain", subscribe)]
    fn count(&self) -> String {
        self.count.load(Ordering::Relaxed).to_string()
    }

    /// Counts one more.
    #[tool]
    fn increment(&self, cx: &Context) -> u64 {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        cx.notify_resource_updated(URI);
        count
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Counter::default().serve(stdio()).await
}
