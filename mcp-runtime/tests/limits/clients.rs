//! Limits of clients, over TCP.

use std::time::Duration;

use mcp_runtime::client::{Form, KeepAlive, Reconnect, ResponseCache, TransportState};
use mcp_runtime::transport::socket::tcp_client;
use mcp_runtime::{CallError, Client, Timeouts};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::clock::{Clock, in_time};
use crate::support::scripted::{Scripted, discovered};
use crate::wire::{Peer, SECOND, builder, comes_after, connected};

driven! {
    ANSWER_IDLE_TIMEOUT by answer_idle_timeout,
    ANSWER_TOTAL_TIMEOUT by answer_total_timeout,
    PROBE_TIMEOUT by probe_timeout,
    PING_EVERY by ping_every,
    PING_TIMEOUT by ping_timeout,
    PING_MISSES by ping_misses,
    RECONNECT_TRIES by reconnect_tries,
    RECONNECT_PAUSE by reconnect_pause,
    MAX_RECONNECT_PAUSE by max_reconnect_pause,
    STABLE_CONNECTION by stable_connection,
    MAX_PAGES by max_pages,
    MAX_LIST_BYTES by max_list_bytes,
    MAX_QUESTION_ROUNDS by max_question_rounds,
    MAX_REPEATS by max_repeats,
    MAX_UNREAD_NOTIFICATIONS by max_unread_notifications,
    MAX_CACHED_ANSWERS by max_cached_answers,
    MAX_CACHED_BYTES by max_cached_bytes,
    CLOSE_TIMEOUT by close_timeout,
}

const STEP: Duration = Duration::from_millis(100);

async fn answer_idle_timeout() {
    let timeouts = Timeouts {
        idle: 5 * SECOND,
        ..Timeouts::default()
    };
    let (client, mut server, _listener) = connected(builder().timeouts(timeouts)).await;
    let clock = Clock::stopped();
    let calling = tokio::spawn(client.call_tool("x", ()).into_future());
    server.expect("tools/call").await;
    let answer = comes_after(&clock, 5 * SECOND, calling).await.unwrap();
    assert!(matches!(answer, Err(CallError::Timeout { .. })), "{answer:?}");
}

async fn answer_total_timeout() {
    let timeouts = Timeouts {
        idle: 10 * SECOND,
        total: 20 * SECOND,
        reset_on_progress: true,
    };
    let (client, mut server, _listener) = connected(builder().timeouts(timeouts)).await;
    let clock = Clock::stopped();
    let calling = tokio::spawn(client.call_tool("x", ()).into_future());
    let (_, params) = server.expect("tools/call").await;
    let token = params["_meta"]["progressToken"].clone();
    tokio::spawn(async move {
        for step in 1.. {
            tokio::time::sleep(SECOND).await;
            let params = json!({"progressToken": token, "progress": step});
            let method = "notifications/progress";
            let progress = json!({"jsonrpc": "2.0", "method": method, "params": params});
            server.send(&progress).await;
        }
    });
    let answer = comes_after(&clock, 20 * SECOND, calling).await.unwrap();
    assert!(matches!(answer, Err(CallError::Timeout { .. })), "{answer:?}");
}

async fn probe_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let client = builder().probe_timeout(5 * SECOND);
    let connecting = tokio::spawn(client.connect(tcp_client(addr)));
    let mut server = Peer::accept(&listener).await;
    let clock = Clock::stopped();
    server.expect("server/discover").await;
    comes_after(&clock, 5 * SECOND, server.expect("initialize")).await;
    drop(connecting);
}

/// Connects a client that pings after 10 s, waits 2 s for the answer, and tolerates this number of
/// misses.
async fn pinging(misses: u32) -> (Client, Peer, TcpListener) {
    let keep_alive = KeepAlive {
        every: 10 * SECOND,
        timeout: 2 * SECOND,
        misses,
    };
    let client = Client::builder("test", "1").without_reconnect();
    connected(client.keep_alive(keep_alive)).await
}

async fn ping_every() {
    let clock = Clock::stopped();
    let (_client, mut server, _listener) = pinging(1).await;
    comes_after(&clock, 10 * SECOND, server.expect("ping")).await;
}

async fn ping_timeout() {
    let clock = Clock::stopped();
    let (_client, mut server, _listener) = pinging(2).await;
    clock.run_until(STEP, server.expect("ping")).await;
    comes_after(&clock, 2 * SECOND, server.expect("notifications/cancelled")).await;
}

async fn ping_misses() {
    for misses in [1, 3] {
        let clock = Clock::stopped();
        let (_client, mut server, _listener) = pinging(misses).await;
        let pings = async {
            let mut pings = 0;
            while let Some(message) = server.next().await {
                pings += u32::from(message["method"] == "ping");
            }
            pings
        };
        assert_eq!(clock.run_until(STEP, pings).await, misses);
        clock.go_on();
    }
}

/// Returns settings for reconnecting after pauses that are not random.
fn steady(tries: Option<u32>) -> Reconnect {
    Reconnect {
        tries,
        jitter: 0.0,
        ..Reconnect::default()
    }
}

async fn in_state(client: &Client, state: TransportState) {
    let mut status = client.watch_status();
    while status.current().transport != state {
        status.changed().await.unwrap();
    }
}

async fn reconnect_tries() {
    for tries in [1, 3] {
        let (client, server, listener) = connected(builder().reconnect(steady(Some(tries)))).await;
        let clock = Clock::stopped();
        drop(server);
        let mut seen = 0;
        let accepting = async {
            loop {
                drop(listener.accept().await.unwrap());
                seen += 1;
            }
        };
        let given_up = async {
            tokio::select! {
                () = in_state(&client, TransportState::Lost) => {}
                () = accepting => {}
            }
        };
        clock.run_until(STEP, given_up).await;
        assert_eq!(seen, tries);
        clock.go_on();
    }
}

async fn reconnect_pause() {
    let reconnect = Reconnect {
        first_pause: 5 * SECOND,
        ..steady(None)
    };
    let (client, server, listener) = connected(builder().reconnect(reconnect)).await;
    let clock = Clock::stopped();
    drop(server);
    in_state(&client, TransportState::Reconnecting).await;
    comes_after(&clock, 5 * SECOND, listener.accept()).await.unwrap();
}

async fn max_reconnect_pause() {
    let reconnect = Reconnect {
        max_pause: 3 * SECOND,
        ..steady(None)
    };
    let (client, server, listener) = connected(builder().reconnect(reconnect)).await;
    let clock = Clock::stopped();
    drop(server);
    for _ in 0..5 {
        drop(clock.run_until(STEP, listener.accept()).await);
    }
    in_state(&client, TransportState::Reconnecting).await;
    comes_after(&clock, 3 * SECOND, listener.accept()).await.unwrap();
}

async fn stable_connection() {
    // After a connection that has lasted, the first pause is one second again.
    for (lasts, pause) in [(4, 8), (6, 1)] {
        let reconnect = Reconnect {
            stable_after: 5 * SECOND,
            ..steady(None)
        };
        let (client, server, listener) = connected(builder().reconnect(reconnect)).await;
        let clock = Clock::stopped();
        drop(server);
        for _ in 0..2 {
            drop(clock.run_until(STEP, listener.accept()).await);
        }
        let (stream, _) = clock.run_until(STEP, listener.accept()).await.unwrap();
        let mut server = Peer::on(stream);
        server.shake_hands().await;
        in_state(&client, TransportState::Connected).await;
        clock.pass(lasts * SECOND).await;
        drop(server);
        in_state(&client, TransportState::Reconnecting).await;
        comes_after(&clock, pause * SECOND, listener.accept()).await.unwrap();
        clock.go_on();
    }
}

async fn max_pages() {
    let (client, mut server, _listener) = connected(builder().max_pages(3)).await;
    let listing = tokio::spawn(async move { client.list_tools().await });
    for page in 0..3 {
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, json!({"tools": [], "nextCursor": page.to_string()})).await;
    }
    let error = in_time(listing).await.unwrap().unwrap_err();
    assert!(error.to_string().contains("more than 3 pages"), "{error}");
}

async fn max_list_bytes() {
    // The lists have 60 and 70 MiB.
    for (pages, fits) in [(6, true), (7, false)] {
        let (client, mut server, _listener) = connected(builder()).await;
        let listing = tokio::spawn(async move { client.list_tools().await });
        for page in 0..pages {
            let (id, _) = server.expect("tools/list").await;
            let mut result = json!({"tools": [], "filler": "x".repeat(10 << 20)});
            if page + 1 < pages {
                result["nextCursor"] = json!(page.to_string());
            }
            server.answer(&id, result).await;
        }
        match in_time(listing).await.unwrap() {
            Ok(_) => assert!(fits),
            Err(error) => assert!(!fits && error.to_string().contains("67108864 bytes"), "{error}"),
        }
    }
}

async fn max_question_rounds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let answers = |form: Form| async move { form.accept(json!({"answer": "x"})) };
    let client = builder().max_rounds(2).on_form(answers);
    let connecting = tokio::spawn(client.connect(tcp_client(addr)));
    let mut server = Peer::accept(&listener).await;
    let (id, _) = server.expect("server/discover").await;
    server.answer(&id, discovered(&["2026-07-28"])).await;
    let client = in_time(connecting).await.unwrap().unwrap();
    let calling = tokio::spawn(client.call_tool("x", ()).into_future());
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}});
    let question = json!({"method": "elicitation/create", "params": {
        "mode": "form", "message": "And then?", "requestedSchema": schema,
    }});
    for _ in 0..3 {
        let (id, _) = server.expect("tools/call").await;
        let asks = json!({"resultType": "input_required", "inputRequests": {"q": question}});
        server.answer(&id, asks).await;
    }
    match in_time(calling).await.unwrap() {
        Err(CallError::TooManyRounds { rounds, .. }) => assert_eq!(rounds, 2),
        other => panic!("{other:?}"),
    }
}

async fn max_repeats() {
    let reconnect = Reconnect {
        first_pause: Duration::ZERO,
        ..steady(None)
    };
    let (client, mut server, listener) = connected(builder().reconnect(reconnect)).await;
    let calling = tokio::spawn(client.call_tool("x", ()).repeatable(true).into_future());
    for _ in 0..2 {
        server.expect("tools/call").await;
        drop(server);
        server = Peer::accept(&listener).await;
        server.shake_hands().await;
    }
    server.expect("tools/call").await;
    drop(server);
    let error = in_time(calling).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed | CallError::Lost(_)), "{error}");
}

async fn max_unread_notifications() {
    let (client, mut server, _listener) = connected(builder()).await;
    let mut unread = client.notifications();
    for number in 0..300 {
        let params = json!({"uri": format!("test://{number}")});
        let method = "notifications/resources/updated";
        server.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }
    let listing = tokio::spawn(async move { client.list_tools().await });
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, json!({"tools": []})).await;
    // The task drops the client, so the notifications end.
    in_time(listing).await.unwrap().unwrap();
    let mut read = 0;
    while in_time(unread.next()).await.is_some() {
        read += 1;
    }
    assert_eq!(read, 256);
}

/// Reads `count` resources of `bytes` bytes, which may all be cached, and then the first and the
/// last again. Returns which of these two the client
/// requested again.
async fn cached(count: usize, bytes: usize) -> Vec<Value> {
    let cache = ResponseCache::new();
    let (ours, mut server) = Scripted::pair();
    let connecting = tokio::spawn(builder().cache(cache).connect(ours));
    let (id, _) = server.expect("server/discover").await;
    let mut found = discovered(&["2026-07-28"]);
    found["capabilities"]["resources"] = json!({});
    server.answer(&id, found).await;
    let client = connecting.await.unwrap().unwrap();
    let uris = (0..count).chain([0, count - 1]).map(|number| format!("test://{number}"));
    let reading = tokio::spawn(async move {
        for uri in uris {
            client.read_resource(uri).await.unwrap();
        }
    });
    let text = "x".repeat(bytes);
    let mut asked = Vec::new();
    while let Some(message) = server.next().await {
        let uri = &message["params"]["uri"];
        asked.push(uri.clone());
        let contents = json!([{"uri": uri, "text": text}]);
        let mut result = json!({"contents": contents, "ttlMs": 3_600_000, "cacheScope": "public"});
        result["resultType"] = json!("complete");
        server.answer(&message["id"], result).await;
    }
    reading.await.unwrap();
    asked.split_off(count)
}

async fn max_cached_answers() {
    assert_eq!(cached(1024, 1).await, [""; 0]);
    assert_eq!(cached(1025, 1).await, ["test://0"]);
}

async fn max_cached_bytes() {
    // The resources have 15 and 17 MiB.
    assert_eq!(cached(15, 1 << 20).await, [""; 0]);
    assert_eq!(cached(17, 1 << 20).await, ["test://0"]);
}

async fn close_timeout() {
    let (client, mut server, _listener) = connected(builder()).await;
    // The message is larger than the buffers of the system.
    let call = client.call_tool("x", json!({"x": "x".repeat(12_000_000)}));
    let calling = tokio::spawn(call.into_future());
    let clock = Clock::stopped();
    in_time(server.0.get_mut().readable()).await.unwrap();
    comes_after(&clock, 2 * SECOND, client.close()).await;
    calling.await.unwrap().unwrap_err();
}
