//! The progress of calls.

use std::time::Duration;

use mcp_runtime::server::{FromContext as _, Progress};
use mcp_runtime::{Context, Server};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Caller, at_once, later};

fn server() -> Server {
    let mut server = Server::builder();
    let back_and_forth = |cx: &Context| {
        for done in [1.0, 3.0, 2.0, f64::NAN, 3.0, 5.0, 4.0] {
            cx.progress(done, 10, "working");
        }
    };
    server.tool(at_once("at_once", back_and_forth));
    server.tool(later("later", move |cx| {
        Box::pin(async move {
            tokio::task::yield_now().await;
            back_and_forth(&cx);
        })
    }));
    server.tool(later("steps", |cx| {
        Box::pin(async move {
            for step in 1..=100 {
                cx.progress(step, None, "");
                sleep(Duration::from_millis(5)).await;
            }
        })
    }));
    server.tool(later("stuck", |cx| {
        Box::pin(async move {
            cx.progress(1_u64, 2_u64, "first");
            cx.progress(2_u64, 2_u64, "second");
            std::future::pending::<()>().await;
        })
    }));
    server.tool(at_once("items", |cx| {
        let progress = Progress::from_context(cx).unwrap();
        let items: Vec<_> = progress.over(["a", "b", "c"]).collect();
        assert_eq!(items, ["a", "b", "c"]);
    }));
    server.build()
}

fn token(token: impl Into<Value>) -> Value {
    json!({"progressToken": token.into()})
}

fn report(token: impl Into<Value>, mut rest: Value) -> Value {
    rest["progressToken"] = token.into();
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": rest})
}

#[tokio::test(start_paused = true)]
async fn progress_only_grows_and_the_last_report_goes_before_the_result() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        for tool in ["at_once", "later"] {
            let (told, answer) = caller.call(tool, token("t")).await;
            let expected = [1, 5].map(|done| {
                report(
                    "t",
                    json!({"progress": done, "total": 10, "message": "working"}),
                )
            });
            assert_eq!(told, expected, "{tool}");
            assert_eq!(answer["result"]["content"][0]["text"], "done");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_with_a_fraction_of_zero_is_that_integer() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        let (told, _) = caller.call("items", token(7.0)).await;
        assert_eq!(told[0]["params"]["progressToken"].to_string(), "7");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_said_to_who_did_not_ask() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        let (told, _) = caller.call("steps", json!({})).await;
        assert_eq!(told, [] as [Value; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn reports_that_come_fast_are_thinned_out() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        let (told, _) = caller.call("steps", token(7)).await;
        let done = |report: &Value| report["params"]["progress"].as_i64().unwrap();
        let done: Vec<_> = told.iter().map(done).collect();
        // The call takes 500 ms. At most one report is sent every 20 ms, and the last one always.
        assert!((20..=27).contains(&done.len()), "{done:?}");
        assert!(done.is_sorted_by(|one, other| one < other), "{done:?}");
        assert_eq!((done[0], done.last()), (1, Some(&100)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_that_none_follows_is_sent_in_time() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        caller.start("stuck", token("t")).await;
        for (done, message) in [(1, "first"), (2, "second")] {
            let expected = json!({"progress": done, "total": 2, "message": message});
            assert_eq!(caller.next().await, report("t", expected));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_said_of_a_call_that_was_cancelled() {
    let server = server();
    let mut caller = Caller::handshake(&server, "2025-11-25").await;
    caller.start("stuck", token("t")).await;
    assert_eq!(caller.next().await["params"]["progress"], 1);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    caller.wire.send(cancel).await;
    let rest = caller.wire.drain().await;
    assert_eq!(rest, [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_revision_without_messages_gets_none() {
    let server = server();
    let mut caller = Caller::handshake(&server, "2024-11-05").await;
    let (told, _) = caller.call("at_once", token("t")).await;
    assert_eq!(told[0], report("t", json!({"progress": 1, "total": 10})));
}

#[tokio::test(start_paused = true)]
async fn items_are_counted_when_they_are_done() {
    let server = server();
    for mut caller in Caller::both(&server).await {
        let (told, _) = caller.call("items", token("t")).await;
        let expected = [1, 3].map(|done| report("t", json!({"progress": done, "total": 3})));
        assert_eq!(told, expected);
    }
}

#[cfg(feature = "stream")]
#[tokio::test(start_paused = true)]
async fn the_items_of_a_stream_are_counted_when_they_are_done() {
    use futures_util::StreamExt as _;
    let mut server = Server::builder();
    server.tool(later("items", |cx| {
        Box::pin(async move {
            let progress = Progress::from_context(&cx).unwrap();
            let items = futures_util::stream::iter(["a", "b", "c"]);
            let items: Vec<_> = progress.over_stream(items).collect().await;
            assert_eq!(items, ["a", "b", "c"]);
        })
    }));
    let server = server.build();
    for mut caller in Caller::both(&server).await {
        let (told, _) = caller.call("items", token("t")).await;
        let expected = [1, 3].map(|done| report("t", json!({"progress": done, "total": 3})));
        assert_eq!(told, expected);
    }
}
