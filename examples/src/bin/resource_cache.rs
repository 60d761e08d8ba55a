//! Caches contents: each principal reads a resource at most once in ten seconds.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::prelude::*;
use tokio::sync::Mutex;

const TTL: Duration = Duration::from_secs(10);

struct Archive(AtomicUsize);

#[mcp_server(name = "resource_cache", version = env!("CARGO_PKG_VERSION"))]
impl Archive {
    /// A book, and the number of times it was fetched.
    #[resource("book://{title}", mime = "text/plain")]
    fn book(&self, title: String) -> String {
        let times = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{title}, fetched as number {times}")
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let kept = Arc::new(Mutex::new(HashMap::new()));
    let mut server = Archive(AtomicUsize::new(0)).into_builder();
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        let kept = Arc::clone(&kept);
        async move {
            let context = request.context().filter(|_| !request.is_retry());
            let ("resources/read", Some(context)) = (request.method(), context) else {
                return next.run(request).await;
            };
            let principal = request.principal().map(str::to_owned);
            let uri = request.target().map(Cow::into_owned);
            let key = (principal, context.revision(), uri);
            if let Some((since, json)) = kept.lock().await.get(&key)
                && Instant::elapsed(since) < TTL
            {
                return Ok(McpResponse::new(String::clone(json))?);
            }
            let response = next.run(request).await?;
            if let Some(json) = response.json()?.filter(|_| !response.is_input_required()) {
                let mut kept = kept.lock().await;
                kept.retain(|_, (since, _)| since.elapsed() < TTL);
                kept.insert(key, (Instant::now(), json.into_owned()));
            }
            Ok(response)
        }
    }));
    server.serve(stdio()).await
}
