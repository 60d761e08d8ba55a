//! Subscriptions of a stateless client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::Change;
use mcp_runtime::client::{Reconnect, Subscription};
use mcp_runtime::types::{ServerNotification, SubscriptionFilter};
use mcp_runtime::{CallError, Client, ClientBuilder, Era, Timeouts, Unavailable};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::servers::Servers;
use crate::support::client::builder;
use crate::support::scripted::{Scripted, operating, stateless};

fn listen(client: &Client) -> JoinHandle<Result<Subscription, CallError>> {
    let client = client.clone();
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true);
    tokio::spawn(async move { client.listen(filter).await })
}

async fn acknowledge(server: &mut Scripted) -> Value {
    let (id, params) = server.expect("subscriptions/listen").await;
    assert_eq!(params["notifications"]["toolsListChanged"], true);
    let meta = &params["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    let agreed = json!({"_meta": about(&id), "notifications": {"toolsListChanged": true}});
    server
        .notify("notifications/subscriptions/acknowledged", agreed)
        .await;
    id
}

fn about(id: &Value) -> Value {
    json!({"io.modelcontextprotocol/subscriptionId": id})
}

async fn change(server: &mut Scripted, id: &Value) {
    let params = json!({"_meta": about(id)});
    server
        .notify("notifications/tools/list_changed", params)
        .await;
}

async fn subscribed() -> (Client, Scripted, Subscription, Value) {
    let (client, mut server) = stateless(builder()).await;
    let listening = listen(&client);
    let id = acknowledge(&mut server).await;
    let subscription = listening.await.unwrap().unwrap();
    (client, server, subscription, id)
}

#[tokio::test]
async fn each_subscription_gets_its_own_notifications() {
    let (client, mut server, mut first, one) = subscribed().await;
    assert_eq!(first.accepted().tools_list_changed, Some(true));
    assert_eq!(first.accepted().prompts_list_changed, None);
    let listening = listen(&client);
    let two = acknowledge(&mut server).await;
    let mut second = listening.await.unwrap().unwrap();
    for id in [&two, &one, &two] {
        change(&mut server, id).await;
    }
    server.answer(&one, json!({"_meta": about(&one)})).await;
    server.answer(&two, json!({"_meta": about(&two)})).await;
    for (subscription, expected) in [(&mut first, 1), (&mut second, 2)] {
        for _ in 0..expected {
            let told = subscription.next().await.unwrap();
            assert!(matches!(told, Some(ServerNotification::ToolListChanged(_))));
        }
        assert_eq!(subscription.next().await.unwrap(), None);
        assert_eq!(subscription.next().await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_subscription_brings_what_an_extension_announces() {
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let observing = builder().on_notification(move |notification| {
        if notification.params_of("com.example/closed").is_some() {
            *count.lock().unwrap() += 1;
        }
    });
    let (client, mut server) = stateless(observing).await;
    let mut filter = SubscriptionFilter::new();
    filter.extra.insert("tickets".to_owned(), json!(["7"]));
    let listening = tokio::spawn(async move { client.subscribe_to(filter).await });
    let (id, params) = server.expect("subscriptions/listen").await;
    assert_eq!(params["notifications"], json!({"tickets": ["7"]}));
    let agreed = json!({"_meta": about(&id), "notifications": {"tickets": ["7"]}});
    server
        .notify("notifications/subscriptions/acknowledged", agreed)
        .await;
    let mut subscription = listening.await.unwrap().unwrap();
    assert_eq!(subscription.accepted().extra["tickets"], json!(["7"]));

    let method = "com.example/closed";
    let others = json!({"_meta": about(&json!("another")), "ticket": "8"});
    server.notify(method, others).await;
    server
        .notify(method, json!({"_meta": about(&id), "ticket": "7"}))
        .await;
    let told = subscription.next().await.unwrap().unwrap();
    let closed: Value = told.params_of(method).unwrap().parse().unwrap();
    assert_eq!(closed["ticket"], "7");
    assert_eq!(*seen.lock().unwrap(), 2);
}

#[tokio::test]
async fn a_session_has_no_subscription_to_what_an_extension_announces() {
    let (client, _server) = operating(builder()).await;
    let mut filter = SubscriptionFilter::new();
    filter.extra.insert("tickets".to_owned(), json!(["7"]));
    let subscription = client.subscribe_to(filter).await.unwrap();
    assert_eq!(*subscription.accepted(), SubscriptionFilter::new());
}

#[tokio::test]
async fn either_side_can_end_it() {
    let (client, mut server, mut subscription, id) = subscribed().await;
    server
        .notify("notifications/cancelled", json!({"requestId": id}))
        .await;
    assert_eq!(subscription.next().await.unwrap(), None);

    let listening = listen(&client);
    let id = acknowledge(&mut server).await;
    drop(listening.await.unwrap().unwrap());
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let (client, mut server) = stateless(builder()).await;
    let listening = listen(&client);
    let (id, _) = server.expect("subscriptions/listen").await;
    server.refuse(&id, -32603, Value::Null).await;
    let refused = listening.await.unwrap().unwrap_err();
    assert!(matches!(refused, CallError::Rpc(_)), "{refused}");
}

#[tokio::test]
async fn a_handshake_revision_has_no_such_subscriptions() {
    let (client, _server) = operating(builder()).await;
    let refused = listen(&client).await.unwrap().unwrap_err();
    assert!(matches!(
        refused,
        CallError::Unavailable(Unavailable::NotInRevision { .. })
    ));
    assert!(
        refused.to_string().contains("`Client::subscribe_to`"),
        "{refused}"
    );
}

#[tokio::test]
async fn subscriptions_of_a_session_name_what_replaces_them() {
    let (client, _server) = stateless(builder()).await;
    for method in ["subscribe", "unsubscribe"] {
        let refused = match method {
            "subscribe" => client.subscribe("test://x").await,
            _ => client.unsubscribe("test://x").await,
        };
        let expected = format!(
            "`resources/{method}` does not exist in revision 2026-07-28, which was negotiated; \
             `Client::subscribe_to` subscribes in every revision, until its result is dropped"
        );
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
    let refused = client.ping().await.unwrap_err();
    assert!(
        refused.to_string().ends_with("which was negotiated"),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_agree_is_not_waited_for() {
    let (client, mut server) = stateless(builder()).await;
    let listening = listen(&client);
    let (id, _) = server.expect("subscriptions/listen").await;
    let error = listening.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
}

/// Connects a client to servers that follow one another, and subscribes to the first.
async fn reconnecting(builder: ClientBuilder) -> (Client, Scripted, Servers, Subscription) {
    let (mut servers, make) = Servers::new();
    let connect = builder.era(Era::Stateless).connect_with(make);
    let script = async {
        let mut server = servers.next().await;
        server.be_discovered().await;
        server
    };
    let (client, mut server) = tokio::join!(connect, script);
    let client = client.unwrap();
    let listening = listen(&client);
    acknowledge(&mut server).await;
    let subscription = listening.await.unwrap().unwrap();
    (client, server, servers, subscription)
}

fn is_of_tools(told: &Option<ServerNotification>) -> bool {
    matches!(told, Some(ServerNotification::ToolListChanged(_)))
}

#[tokio::test(start_paused = true)]
async fn a_reconnected_client_subscribes_again_and_counts_everything_as_changed() {
    let observed: Arc<Mutex<Vec<Change>>> = Arc::default();
    let observer = Arc::clone(&observed);
    let builder = builder().on_changed(move |changed| observer.lock().unwrap().push(changed));
    let (_client, server, mut servers, mut subscription) = reconnecting(builder).await;
    let told = tokio::spawn(async move { (subscription.next().await, subscription) });
    drop(server);
    let mut server = servers.next().await;
    server.be_discovered().await;
    let id = acknowledge(&mut server).await;
    let (told, mut subscription) = told.await.unwrap();
    assert!(is_of_tools(&told.unwrap()));
    assert_eq!(*observed.lock().unwrap(), [Change::Tools]);

    let more = tokio::time::timeout(Duration::from_secs(9), subscription.next()).await;
    assert!(more.is_err(), "once: {more:?}");
    change(&mut server, &id).await;
    assert!(is_of_tools(&subscription.next().await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_agree_again_is_asked_again() {
    let timeouts = Timeouts {
        idle: Duration::from_secs(10),
        ..Timeouts::default()
    };
    let steady = Reconnect {
        jitter: 0.0,
        tries: Some(2),
        ..Reconnect::default()
    };
    let builder = builder().timeouts(timeouts).reconnect(steady);
    let (_client, server, mut servers, mut subscription) = reconnecting(builder).await;
    let told = tokio::spawn(async move { subscription.next().await });
    drop(server);
    let mut server = servers.next().await;
    server.be_discovered().await;
    let mut last = None;
    for waited in [0, 11, 12] {
        let (id, _) = server.expect("subscriptions/listen").await;
        let now = Instant::now();
        let since = last.replace(now).map_or(0, |last| (now - last).as_secs());
        assert_eq!(since, waited, "10 seconds, and the pause");
        let (_, params) = server.expect("notifications/cancelled").await;
        assert_eq!(params["requestId"], id);
    }
    let error = told.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_a_reconnection_ends_a_subscription() {
    let (_client, server, mut servers, mut subscription) = reconnecting(builder()).await;
    let told = tokio::spawn(async move { (subscription.next().await, subscription.next().await) });
    drop(server);
    let mut server = servers.next().await;
    server.be_discovered().await;
    let (id, _) = server.expect("subscriptions/listen").await;
    server.refuse(&id, -32601, Value::Null).await;
    let (refused, end) = told.await.unwrap();
    assert!(matches!(refused, Err(CallError::Rpc(_))), "{refused:?}");
    assert!(matches!(end, Ok(None)), "{end:?}");
}
