//! Kills a server with tasks in Redis. Skipped if `redis-server` is not installed.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

#[cfg(unix)]
#[path = "../../mcp-extensions/tests/killed/mill.rs"]
mod mill;
#[cfg(unix)]
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "redis/server.rs"]
mod server;

#[cfg(unix)]
fn main() {
    use mcp_extensions::tasks::Tasks;
    use mcp_stores::Redis;

    let tasks = |url: &str| {
        let url = url.to_owned();
        async move { Tasks::new(Redis::connect(&url, "test").await.unwrap().tasks()) }
    };
    let mut server = None;
    mill::run(tasks, || {
        server = server::Server::start(&[]);
        server.as_ref().map(server::Server::url)
    });
}

#[cfg(not(unix))]
fn main() {}
