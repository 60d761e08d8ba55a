//! What holds on every transport, over the standard streams of another process, which are pipes.

#![cfg(all(unix, feature = "stdio"))]
#![allow(clippy::unwrap_used, clippy::duplicate_mod)]

#[path = "batches.rs"]
mod batches;
#[path = "lifecycle.rs"]
mod lifecycle;
#[path = "malformed.rs"]
mod malformed;
#[path = "support/mod.rs"]
mod support;
#[path = "tools.rs"]
mod tools;

/// Not a test of its own: what the others start as another process.
#[test]
fn the_server() {
    support::over_stdio::serve_if_told(|name| match name {
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
    let printed = support::over_stdio::over_files("all", &input).await;
    let mut ids: Vec<_> = printed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].take())
        .collect();
    ids.sort_by_key(serde_json::Value::as_i64);
    assert_eq!(ids, [1, 2]);
}
