//! How a client behaves after a lost connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::client::{Reconnect, TransportState};
use mcp_runtime::types::{LoggingLevel, ServerNotification, SubscriptionFilter};
use mcp_runtime::{CallError, LifecycleState};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::servers::{SECOND, Servers, builder, connected, until};
use crate::support::scripted::said;

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_restored() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let states = Arc::clone(&seen);
    let observed = builder().on_status(move |status| states.lock().unwrap().push(status));
    let (client, server, mut servers) = connected(observed).await;
    let start = Instant::now();
    drop(server);
    let mut server = servers.operating().await;
    assert_eq!(start.elapsed(), SECOND, "the first pause");
    let listing = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, json!({"tools": []})).await;
    assert_eq!(listing.await.unwrap().unwrap(), []);
    client.close().await;

    let seen = seen.lock().unwrap().clone();
    let transports = seen.iter().map(|status| status.transport);
    let mut transports: Vec<_> = transports.collect();
    transports.dedup();
    use TransportState::{Connected, Connecting, Disconnected, Reconnecting};
    let once = [Connecting, Connected, Disconnected];
    assert_eq!(transports, [&once[..], &[Reconnecting], &once[..]].concat());
    let operating = seen.iter().map(|status| status.lifecycle);
    let operating = operating.filter(|state| *state == LifecycleState::Operating);
    assert_eq!(operating.count(), 2, "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_safe_to_repeat_are_sent_again_and_others_fail() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let tool = |name: &str, hints: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints});
    let tools = json!({"tools": [
        tool("read", json!({"readOnlyHint": true})),
        tool("set", json!({"idempotentHint": true})),
        tool("add", json!({})),
    ]});
    let listing = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, tools.clone()).await;
    listing.await.unwrap().unwrap();

    let calls = ["read", "set", "add", "unheard-of"].map(|name| {
        let call = client.call_tool(name, json!({}));
        tokio::spawn(call.into_future())
    });
    let on_my_word = client.call_tool("by word", json!({})).repeatable(true);
    let on_my_word = tokio::spawn(on_my_word.into_future());
    for _ in 0..5 {
        server.expect("tools/call").await;
    }
    drop(server);
    let mut server = servers.operating().await;
    // The client lists the tools again before anything else.
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, tools).await;
    let mut again = Vec::new();
    for _ in 0..3 {
        let (id, params) = server.expect("tools/call").await;
        again.push(params["name"].as_str().unwrap().to_owned());
        server.answer(&id, said("done")).await;
    }
    again.sort();
    assert_eq!(again, ["by word", "read", "set"]);
    on_my_word.await.unwrap().unwrap();
    assert!(client.known_tool("read").is_some());
    for (call, repeats) in calls.into_iter().zip([true, true, false, false]) {
        match call.await.unwrap() {
            Ok(_) => assert!(repeats),
            Err(error) => assert!(matches!(error, CallError::Closed) && !repeats, "{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_kills_each_server_comes_to_an_end() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let poison = client.call_tool("poison", ()).repeatable(true);
    let poison = tokio::spawn(poison.into_future());
    for _ in 0..2 {
        server.expect("tools/call").await;
        drop(server);
        server = servers.operating().await;
    }
    server.expect("tools/call").await;
    drop(server);
    let error = poison.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_kills_each_server_comes_to_an_end() {
    let (client, mut server, mut servers) = connected(builder().without_keep_alive()).await;
    let dying = tokio::spawn(async move {
        loop {
            server.expect("resources/subscribe").await;
            drop(server);
            server = servers.operating().await;
        }
    });
    let filter = SubscriptionFilter::new().with_resource_subscriptions(["file:///a"]);
    let subscribing = tokio::time::timeout(1000 * SECOND, client.subscribe_to(filter));
    let error = subscribing.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    dying.abort();
}

#[tokio::test(start_paused = true)]
async fn callers_wait_for_the_connection_or_fail_fast() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    until(&client, TransportState::Reconnecting).await;
    let hasty = client.call_tool("add", ()).fail_fast().await.unwrap_err();
    assert!(matches!(hasty, CallError::NotSent(_)), "{hasty}");
    let brief = client.call_tool("add", ()).timeout(SECOND / 2).await;
    let brief = brief.unwrap_err();
    assert!(matches!(brief, CallError::NotSent(_)), "{brief}");
    assert!(brief.to_string().contains("not restored within"), "{brief}");
    let patient = tokio::spawn(client.call_tool("add", ()).into_future());
    let mut server = servers.operating().await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("5")).await;
    patient.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_given_up() {
    let (client, server, mut servers) = connected(builder()).await;
    let start = Instant::now();
    drop(server);
    assert!(client.lost_because().is_none());
    for seconds in [1, 3, 7, 15, 31] {
        drop(servers.next().await);
        assert_eq!(start.elapsed().as_secs(), seconds, "pauses double");
    }
    until(&client, TransportState::Lost).await;
    assert_eq!(start.elapsed().as_secs(), 31);
    assert!(client.lost_because().is_some());
    let hasty = client.call_tool("add", ()).fail_fast().await.unwrap_err();
    assert!(matches!(hasty, CallError::NotSent(_)), "{hasty}");
}

#[tokio::test(start_paused = true)]
async fn after_the_last_try_each_call_makes_one_more() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    for _ in 0..5 {
        drop(servers.next().await);
    }
    until(&client, TransportState::Lost).await;
    let given_up = Instant::now();
    let calling = tokio::spawn(client.call_tool("add", ()).into_future());
    drop(servers.next().await);
    assert_eq!(
        given_up.elapsed(),
        SECOND,
        "never sooner than the first pause"
    );
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error}");
    until(&client, TransportState::Lost).await;

    tokio::time::sleep(100 * SECOND).await;
    let later = Instant::now();
    let calling = tokio::spawn(client.call_tool("add", ()).into_future());
    let mut server = servers.operating().await;
    assert_eq!(later.elapsed(), Duration::ZERO, "the last try is long ago");
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("5")).await;
    calling.await.unwrap().unwrap();
    assert!(client.lost_because().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_cuts_a_pause_short() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    for _ in 0..3 {
        drop(servers.next().await);
    }
    // The next pause would be 8 seconds.
    let start = Instant::now();
    let calling = tokio::spawn(client.call_tool("add", ()).into_future());
    let mut server = servers.operating().await;
    assert_eq!(start.elapsed(), SECOND);
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("5")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn tries_may_go_on_without_end() {
    let endless = Reconnect {
        tries: None,
        jitter: 0.0,
        ..Reconnect::default()
    };
    let (client, server, mut servers) = connected(builder().reconnect(endless)).await;
    drop(server);
    for _ in 0..20 {
        drop(servers.next().await);
    }
    let _server = servers.operating().await;
    until(&client, TransportState::Connected).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_after_each_handshake_is_given_up() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let start = Instant::now();
    for seconds in [1, 3, 7, 15, 31] {
        drop(server);
        server = servers.operating().await;
        assert_eq!(start.elapsed().as_secs(), seconds, "pauses double");
    }
    drop(server);
    until(&client, TransportState::Lost).await;
    assert_eq!(start.elapsed().as_secs(), 31);
}

#[tokio::test(start_paused = true)]
async fn a_call_just_after_the_loss_is_served_and_cuts_no_later_pause_short() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    let calling = tokio::spawn(client.call_tool("add", ()).into_future());
    let mut server = servers.operating().await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("5")).await;
    calling.await.unwrap().unwrap();
    let start = Instant::now();
    for seconds in [2, 6, 14, 30] {
        drop(server);
        server = servers.operating().await;
        assert_eq!(start.elapsed().as_secs(), seconds, "pauses double");
    }
    drop(server);
    until(&client, TransportState::Lost).await;
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn attempts_start_over_after_a_connection_that_has_lasted() {
    let (_client, server, mut servers) = connected(builder().without_keep_alive()).await;
    drop(server);
    for _ in 0..3 {
        drop(servers.next().await);
    }
    let server = servers.operating().await;
    tokio::time::sleep(30 * SECOND).await;
    let lost = Instant::now();
    drop(server);
    let _server = servers.operating().await;
    assert_eq!(lost.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_attempts() {
    let (client, server, mut servers) = connected(builder()).await;
    drop(server);
    until(&client, TransportState::Reconnecting).await;
    client.close().await;
    assert!(
        servers.0.try_recv().is_err(),
        "no further server was started"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_client_closes_its_connection() {
    let (client, mut server, mut servers) = connected(builder()).await;
    drop(client);
    assert_eq!(server.next().await, None);
    assert!(
        servers.0.recv().await.is_none(),
        "nothing is left that could reconnect"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_of_the_probe_is_greeted_with_a_handshake() {
    let (mut servers, make) = Servers::new();
    let script = async {
        let mut server = servers.next().await;
        server.expect("server/discover").await;
        drop(server);
        servers.operating().await
    };
    let (client, _server) = tokio::join!(builder().connect_with(make), script);
    assert_eq!(client.unwrap().revision().as_str(), "2025-11-25");
}

#[tokio::test(start_paused = true)]
async fn what_the_server_was_told_it_is_told_again() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let told = tokio::spawn({
        let client = client.clone();
        async move {
            client.set_log_level(LoggingLevel::Warning).await.unwrap();
            client.subscribe("file:///a").await.unwrap();
            client.subscribe("file:///b").await.unwrap();
            client.unsubscribe("file:///b").await.unwrap();
        }
    });
    for method in [
        "logging/setLevel",
        "resources/subscribe",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let (id, _) = server.expect(method).await;
        server.answer(&id, json!({})).await;
    }
    told.await.unwrap();
    let mut notifications = client.notifications();
    drop(server);

    let mut server = servers.operating().await;
    let (id, params) = server.expect("logging/setLevel").await;
    assert_eq!(params, json!({"level": "warning"}));
    server.refuse(&id, -32603, Value::Null).await;
    let (id, params) = server.expect("resources/subscribe").await;
    assert_eq!(params, json!({"uri": "file:///a"}));
    server.answer(&id, json!({})).await;
    let news = json!({"uri": "file:///a"});
    server.notify("notifications/resources/updated", news).await;
    match notifications.next().await {
        Some(ServerNotification::ResourceUpdated(params)) => assert_eq!(params.uri, "file:///a"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cant_be_read_does_not_hide_the_others_after_a_reconnection() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let listing = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    let (id, _) = server.expect("tools/list").await;
    let listed = json!({"tools": [tool("first")]});
    server.answer(&id, listed).await;
    listing.await.unwrap().unwrap();
    drop(server);

    let mut server = servers.operating().await;
    let (id, _) = server.expect("tools/list").await;
    let listed = json!({"tools": [{"name": 5}, tool("first")], "nextCursor": "2"});
    server.answer(&id, listed).await;
    let (id, params) = server.expect("tools/list").await;
    assert_eq!(params, json!({"cursor": "2"}));
    let listed = json!({"tools": [tool("second")]});
    server.answer(&id, listed).await;

    let pinging = tokio::spawn(async move { client.ping().await.map(|()| client) });
    let (id, _) = server.expect("ping").await;
    server.answer(&id, json!({})).await;
    let client = pinging.await.unwrap().unwrap();
    assert!(client.known_tool("first").is_some());
    assert!(client.known_tool("second").is_some());
}

#[tokio::test(start_paused = true)]
async fn tools_are_listed_again_until_a_cursor_repeats() {
    let (client, mut server, mut servers) = connected(builder()).await;
    let page = |name: &str, cursor: Option<&str>| {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        json!({"tools": [tool], "nextCursor": cursor})
    };
    let listing = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, page("first", None)).await;
    listing.await.unwrap().unwrap();
    drop(server);

    let mut server = servers.operating().await;
    for (name, cursor) in [("first", "a"), ("second", "b"), ("third", "a")] {
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, page(name, Some(cursor))).await;
    }
    let pinging = tokio::spawn(async move { client.ping().await.map(|()| client) });
    let (id, _) = server.expect("ping").await;
    server.answer(&id, json!({})).await;
    let client = pinging.await.unwrap().unwrap();
    assert!(client.known_tool("third").is_some());
}
