//! Runs the examples that send notifications. A client receives the same in both eras.

use std::sync::{Arc, Mutex};

use mcp_runtime::Change;
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::types::{LoggingLevel, SubscriptionFilter};
use mcp_runtime::{Client, ClientBuilder, Revision};
use serde_json::{Value, json};

const REVISIONS: [Revision; 2] = [Revision::LATEST_HANDSHAKE, Revision::LATEST];

type Heard = Arc<Mutex<Vec<Value>>>;

/// Checks that `script` receives the same notifications in each era.
async fn compare(
    binary: &str,
    observe: impl Fn(ClientBuilder, Heard) -> ClientBuilder,
    script: impl AsyncFn(&Client, &Heard),
) -> Vec<Value> {
    let mut eras = Vec::new();
    for revision in REVISIONS {
        let heard = Heard::default();
        let builder = Client::builder("telling", "1.0.0").revision(revision);
        let builder = observe(builder, Arc::clone(&heard));
        let client = builder.connect(ChildProcess::new(binary)).await.unwrap();
        script(&client, &heard).await;
        client.close().await;
        eras.push(std::mem::take(&mut *heard.lock().unwrap()));
    }
    assert_eq!(eras[0], eras[1]);
    eras.swap_remove(0)
}

#[tokio::test]
async fn progress_is_heard_while_it_grows() {
    let binary = env!("CARGO_BIN_EXE_progress");
    let heard = compare(
        binary,
        |builder, _| builder,
        async |client, heard| {
            for (tool, arguments) in [
                ("brew", json!({})),
                ("bake", json!({"cakes": ["carrot", "cheese"]})),
            ] {
                let heard = Arc::clone(heard);
                let call = client.call_tool(tool, arguments).on_progress(move |told| {
                    // The number of reports between the first and the last depends on timing.
                    if [Some(1.0), told.total].contains(&Some(told.progress)) {
                        let report = json!([told.progress, told.total, told.message]);
                        heard.lock().unwrap().push(report);
                    }
                });
                call.await.unwrap();
            }
        },
    )
    .await;
    assert_eq!(
        heard,
        [
            json!([1.0, 3.0, "boiling water"]),
            json!([3.0, 3.0, "pouring"]),
            json!([1.0, 2.0, null]),
            json!([2.0, 2.0, null]),
        ]
    );
}

#[tokio::test]
async fn logs_are_heard_from_the_level_on_that_was_asked_for() {
    let binary = env!("CARGO_BIN_EXE_logging");
    let observe = |builder: ClientBuilder, heard: Heard| {
        builder.on_log(move |log| {
            let log = json!([log.level, log.logger, log.data]);
            heard.lock().unwrap().push(log);
        })
    };
    let heard = compare(binary, observe, async |client, _| {
        for level in [LoggingLevel::Debug, LoggingLevel::Error] {
            client.set_log_level(level).await.unwrap();
            for left in [1, 0] {
                let wish = json!({"item": "tea", "left": left});
                client.call_tool("take", wish).await.unwrap();
            }
        }
    })
    .await;
    let wanted = json!(["debug", null, "someone wants tea"]);
    let none = json!(["error", "stock", {"item": "tea", "left": 0}]);
    let taken = json!(["info", "stock", {"item": "tea", "left": 0}]);
    assert_eq!(
        heard,
        [&wanted, &taken, &wanted, &none, &none].map(Value::clone)
    );
}

#[tokio::test]
async fn subscribers_hear_of_each_change() {
    let binary = env!("CARGO_BIN_EXE_subscriptions");
    let heard = compare(
        binary,
        |builder, _| builder,
        async |client, heard| {
            let filter = SubscriptionFilter::new().with_resource_subscriptions(["counter://count"]);
            let mut subscription = client.subscribe_to(filter).await.unwrap();
            let accepted = serde_json::to_value(subscription.accepted()).unwrap();
            heard.lock().unwrap().push(accepted);
            for _ in 0..2 {
                client.call_tool("increment", json!({})).await.unwrap();
                let told = subscription.next().await.unwrap().unwrap();
                let Some(Change::Resource(uri)) = Change::by(&told) else {
                    panic!("not a resource: {told:?}");
                };
                let read = client.read_resource(uri).await.unwrap();
                let read = serde_json::to_value(&read.contents[0]).unwrap();
                heard.lock().unwrap().push(read["text"].clone());
            }
        },
    )
    .await;
    let accepted = json!({"resourceSubscriptions": ["counter://count"]});
    assert_eq!(heard, [accepted, json!("1"), json!("2")]);
}
