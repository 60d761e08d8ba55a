//! Subscriptions over HTTP, whose POST requests are answered with lasting streams.

use mcp_runtime::transport::http::HttpOptions;
use serde_json::{Value, json};

use crate::site::{Site, read, read_until};
use crate::support::stateless;

fn listen(filter: Value) -> Value {
    stateless(7, "subscriptions/listen", json!({"notifications": filter}))
}

async fn change(site: &Site) {
    let message = stateless(8, "tools/call", json!({"name": "change"}));
    let answer = site.ask(&message).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "changed");
}

#[tokio::test]
async fn the_answer_is_a_stream_that_ends_with_the_server() {
    let site = Site::open().await;
    let filter = json!({"resourceSubscriptions": ["test://watched"]});
    let request = site.stateless(&listen(filter));
    let mut stream = site.start(request).await;
    assert_eq!(stream.status(), 200);
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = read_until(&mut stream, "\n\n").await;
    assert!(first.contains("subscriptions/acknowledged"), "{first}");
    change(&site).await;
    let told = read_until(&mut stream, "notifications/resources/updated").await;
    assert!(
        told.contains(r#""io.modelcontextprotocol/subscriptionId":7"#),
        "{told}"
    );
    assert!(
        !told.contains("list_changed"),
        "it was not requested: {told}"
    );

    site.shutdown.shut_down();
    let rest = read(stream).await;
    let end = rest.messages().pop().unwrap();
    assert_eq!(
        (&end["id"], &end["result"]["resultType"]),
        (&json!(7), &json!("complete"))
    );
    site.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn subscriptions_have_a_limit_of_their_own() {
    let options = HttpOptions::default().max_in_flight(1).max_subscriptions(2);
    let site = Site::with(options).await;
    let message = listen(json!({"toolsListChanged": true}));
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = site.start(site.stateless(&message)).await;
        read_until(&mut stream, "acknowledged").await;
        streams.push(stream);
    }
    let refused = site.ask(&message).await;
    assert_eq!(
        (refused.status.as_u16(), refused.error_code()),
        (429, -32603)
    );
    let call = stateless(1, "tools/call", json!({"name": "soon"}));
    assert_eq!(site.ask(&call).await.status, 200);
}
