//! A client that subscribes to changes, in both eras.

use std::sync::{Arc, Mutex};

use mcp_runtime::Change;
use mcp_runtime::client::Subscription;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::{List, Reply};
use mcp_runtime::types::{LoggingLevel, Resource, SubscriptionFilter};
use mcp_runtime::{CallError, Revision, Server};
use serde_json::{Value, json};

use crate::servers::{Servers, connected};
use crate::support;
use crate::support::client::{builder, connect};
use crate::support::clock::in_time;
use crate::support::scripted::{Scripted, operating};

const REVISIONS: [Revision; 2] = [Revision::LATEST_HANDSHAKE, Revision::LATEST];

fn server() -> Server {
    let mut server = support::builder();
    server.list_changed([List::Tools]).logging();
    let resource = |name: &str| Resource::new(name, format!("test://{name}"));
    let entry =
        |name| ResourceEntry::resource(resource(name), |_| Reply::Ready("x".into_contents()));
    server.resource(entry("watched").subscribable());
    server.resource(entry("fixed"));
    let tool = mcp_runtime::types::Tool::new("log", json!({"type": "object"}));
    let tool = mcp_runtime::server::tools::ToolEntry::new(tool, |call| {
        call.context.log(LoggingLevel::Warning, "careful");
        Reply::Ready(Ok(support::text("logged".to_owned())))
    });
    server.tool(tool);
    server.build()
}

fn filter() -> SubscriptionFilter {
    SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resource_subscriptions(["test://watched", "test://fixed"])
}

async fn changed(subscription: &mut Subscription) -> Option<Change> {
    let told = subscription.next().await.unwrap()?;
    Some(Change::by(&told).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_subscription_of_a_session_goes_on_with_the_server_that_comes_after_it() {
    let (mut servers, make) = Servers::new();
    let connecting = tokio::spawn(
        builder()
            .without_keep_alive()
            .connect_with(make)
            .into_future(),
    );
    let mut server = servers.next().await;
    let (id, _) = server.expect("server/discover").await;
    server.refuse(&id, -32601, Value::Null).await;
    server.shake_hands("2025-11-25").await;
    let client = connecting.await.unwrap().unwrap();
    let filter = SubscriptionFilter::new().with_resource_subscriptions(["test://watched"]);
    let subscribing = tokio::spawn(async move { client.subscribe_to(filter).await });
    let (id, _) = server.expect("resources/subscribe").await;
    server.answer(&id, json!({})).await;
    let mut subscription = subscribing.await.unwrap().unwrap();
    let told = Change::Resource("test://watched".to_owned());

    // The next server also has sessions. It is unknown what changed meanwhile.
    let next = tokio::spawn(async move { (changed(&mut subscription).await, subscription) });
    drop(server);
    let mut server = servers.next().await;
    server.shake_hands("2025-11-25").await;
    let (id, _) = server.expect("resources/subscribe").await;
    server.answer(&id, json!({})).await;
    let (assumed, mut subscription) = in_time(next).await.unwrap();
    assert_eq!(assumed.as_ref(), Some(&told));

    // The next server has no sessions, and refuses the handshake.
    let next = tokio::spawn(async move { changed(&mut subscription).await });
    drop(server);
    let mut server = servers.next().await;
    let (id, _) = server.expect("initialize").await;
    server.refuse(&id, -32601, Value::Null).await;
    let mut server = servers.next().await;
    server.be_discovered().await;
    let (id, _) = server.expect("subscriptions/listen").await;
    let about = json!({"io.modelcontextprotocol/subscriptionId": id});
    let agreed = json!({"resourceSubscriptions": ["test://watched"]});
    let params = json!({"_meta": about, "notifications": agreed});
    server
        .notify("notifications/subscriptions/acknowledged", params)
        .await;
    assert_eq!(in_time(next).await.unwrap(), Some(told));
}

#[tokio::test]
async fn both_eras_tell_the_same() {
    let server = server();
    for revision in REVISIONS {
        let client = connect(builder().revision(revision), &server).await;
        let mut subscription = client.subscribe_to(filter()).await.unwrap();
        let accepted = serde_json::to_value(subscription.accepted()).unwrap();
        assert_eq!(
            accepted,
            json!({"toolsListChanged": true, "resourceSubscriptions": ["test://watched"]})
        );
        let uri = "test://watched".to_owned();
        server.notify_resource_updated("test://fixed");
        server.notify_resource_updated(&uri);
        let told = changed(&mut subscription).await;
        assert_eq!(told, Some(Change::Resource(uri)));
        server.notify_changed(Change::Tools);
        assert_eq!(changed(&mut subscription).await, Some(Change::Tools));
        client.close().await;
        let end = subscription.next().await;
        assert!(matches!(end, Err(CallError::Closed)), "{end:?}");
    }
}

#[cfg(feature = "stream")]
#[tokio::test]
async fn a_subscription_is_a_stream() {
    use futures_util::StreamExt as _;
    use mcp_runtime::types::ServerNotification;

    let server = server();
    for revision in REVISIONS {
        let client = connect(builder().revision(revision), &server).await;
        let notifications = client.notifications().into_stream();
        let subscription = client.subscribe_to(filter()).await.unwrap();
        let mut stream = subscription.into_stream();
        for _ in 0..3 {
            server.notify_changed(Change::Tools);
            let told = stream.next().await.unwrap().unwrap();
            assert!(matches!(told, ServerNotification::ToolListChanged(_)));
        }
        client.close().await;
        let end = stream.next().await;
        assert!(matches!(end, Some(Err(CallError::Closed))), "{end:?}");
        assert!(stream.next().await.is_none());
        drop((stream, client));
        let seen = notifications.map(|told| Change::by(&told));
        let seen: Vec<_> = seen.collect().await;
        let changes: Vec<_> = seen.into_iter().flatten().collect();
        assert_eq!(changes, vec![Change::Tools; 3]);
    }
}

#[tokio::test]
async fn observers_are_told_what_concerns_them() {
    let server = server();
    for revision in REVISIONS {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let logs = Arc::clone(&seen);
        let changes = Arc::clone(&seen);
        let builder = builder()
            .revision(revision)
            .on_log(move |log| logs.lock().unwrap().push(log.data.to_string()))
            .on_changed(move |change| changes.lock().unwrap().push(format!("{change:?}")));
        let client = connect(builder, &server).await;
        client.set_log_level(LoggingLevel::Info).await.unwrap();
        let mut subscription = client.subscribe_to(filter()).await.unwrap();
        client.call_tool("log", json!({})).await.unwrap();
        server.notify_changed(Change::Tools);
        subscription.next().await.unwrap();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen, ["\"careful\"", "Tools"]);
    }
}

#[tokio::test]
async fn the_error_names_the_capability_that_subscriptions_need() {
    let server = support::builder().build();
    let client = connect(builder().revision(Revision::LATEST), &server).await;
    let refused = client.subscribe_to(filter()).await.unwrap_err().to_string();
    let expected =
        "needs the capability `listChanged` or `subscribe`, which the server does not offer";
    assert!(refused.ends_with(expected), "{refused}");
}

async fn answered(server: &mut Scripted, method: &str) -> Value {
    let (id, params) = server.expect(method).await;
    server.answer(&id, json!({})).await;
    params["uri"].clone()
}

fn watched() -> SubscriptionFilter {
    SubscriptionFilter::new().with_resource_subscriptions(["a:1"])
}

#[tokio::test]
async fn a_resource_is_unsubscribed_from_when_nobody_holds_it() {
    let (client, mut server) = operating(builder()).await;
    let subscribe = || {
        let client = client.clone();
        tokio::spawn(async move { client.subscribe_to(watched()).await.unwrap() })
    };
    let mut subscriptions = Vec::new();
    for _ in 0..2 {
        let subscribing = subscribe();
        assert_eq!(answered(&mut server, "resources/subscribe").await, "a:1");
        subscriptions.push(subscribing.await.unwrap());
    }
    drop(subscriptions.pop());
    let pinging = tokio::spawn({
        let client = client.clone();
        async move { client.ping().await }
    });
    answered(&mut server, "ping").await;
    pinging.await.unwrap().unwrap();
    drop(subscriptions);
    assert_eq!(answered(&mut server, "resources/unsubscribe").await, "a:1");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_lost_is_subscribed_to_again() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let subscribing = tokio::spawn(async move { client.subscribe_to(watched()).await.unwrap() });
    answered(&mut server, "resources/subscribe").await;
    let mut subscription = subscribing.await.unwrap();
    drop(server);
    let mut server = servers.next().await;
    server.shake_hands("2025-11-25").await;
    answered(&mut server, "resources/subscribe").await;
    let uri = json!({"uri": "a:1"});
    server.notify("notifications/resources/updated", uri).await;
    let told = changed(&mut subscription).await;
    assert_eq!(told, Some(Change::Resource("a:1".to_owned())));
}
