//! Behaviour of all transports, over standard streams of another process that are pipes.

#[path = "every/batches.rs"]
mod batches;
#[path = "every/integers.rs"]
mod integers;
#[path = "every/lifecycle.rs"]
mod lifecycle;
#[path = "every/malformed.rs"]
mod malformed;
#[path = "every/tools.rs"]
mod tools;

use crate::gateway::stdio::{Pipes, over_files, serve_if_told};
use crate::support;

type Transport = Pipes;

/// Not a test of its own: what the others start as another process.
#[test]
fn the_server() {
    serve_if_told(|name| match name {
        "tools" => tools::server(),
        name => support::named(name),
    });
}

#[tokio::test]
async fn files_are_served_to_their_end() {
    let input = format!(
        "{}\n{}",
        support::stateless(1, "tools/call", serde_json::json!({"name": "soon"})),
        support::stateless(2, "tools/list", serde_json::json!({})),
    );
    let printed = over_files("all", &input).await;
    let mut ids: Vec<_> = printed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].take())
        .collect();
    ids.sort_by_key(serde_json::Value::as_i64);
    assert_eq!(ids, [1, 2]);
}
