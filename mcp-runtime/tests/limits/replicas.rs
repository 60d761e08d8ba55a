//! Limits of replicas that share a store and a bus.

use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::Change;
use mcp_runtime::server::List;
use mcp_runtime::store::{
    Bus as _, BusEvent, KeyValue, MemoryBus, MemoryKeyValue, PutMode, StoreFuture, Version,
    Versioned, publish_changes,
};
use mcp_runtime::transport::http::HttpOptions;
use serde_json::json;
use tokio::time::Instant;

use crate::bus::Wire;
use crate::support::clock::{Clock, in_time};
use crate::support::{self, request};
use crate::wire::{Served, get, read_now, read_until};

driven! {
    MAX_EDIT_ATTEMPTS by max_edit_attempts,
    MAX_BUS_MESSAGE_BYTES by max_bus_message_bytes,
    MAX_WAITING_CHANGES by max_waiting_changes,
    BUS_PAUSE by bus_pause,
    GAP_SPREAD by gap_spread,
    FORWARD_WAIT by forwarded,
    FORWARD_ATTEMPTS by forwarded,
    MEMORY_BUS_MESSAGES by memory_bus_messages,
}

/// A store in which each value changes before it can be updated.
#[derive(Clone, Default)]
struct Contended {
    values: MemoryKeyValue,
    attempts: Arc<AtomicUsize>,
}

impl KeyValue for Contended {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        self.values.get(key, renew)
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        match mode {
            PutMode::Update(_) => {
                self.attempts.fetch_add(1, Ordering::Relaxed);
                Box::pin(ready(Ok(None)))
            }
            mode => self.values.put(key, value, ttl, mode),
        }
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        self.values.remove(key, version)
    }
}

async fn max_edit_attempts() {
    let store = Contended::default();
    let options = HttpOptions::default().store(store.clone());
    let served = Served::http_with(&support::server(), options);
    let hello = served.post(&[], &support::initialize("2025-11-25")).await;
    let session = [("mcp-session-id", hello.header("mcp-session-id"))];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(served.post(&session, &initialized).await.status, 503);
    assert_eq!(store.attempts.load(Ordering::Relaxed), 32);
}

async fn max_bus_message_bytes() {
    let wire = Wire::default();
    let publish = |length: usize| {
        let uri = "x".repeat(length);
        publish_changes(&wire, [Change::Resource(uri)])
    };
    let frame = json!({"format": 1, "from": 0, "content": {"changes": [{"resource": ""}]}});
    let most = (4 << 20) - frame.to_string().len();
    assert!(publish(most).await.is_ok());
    assert!(publish(most + 1).await.is_err());
}

fn replica(wire: &Wire) -> HttpOptions {
    HttpOptions::default().bus(wire.clone())
}

async fn max_waiting_changes() {
    let clock = Clock::stopped();
    let wire = Wire::default();
    let server = support::server();
    let _served = Served::http_with(&server, replica(&wire));
    wire.listeners(1).await;
    for number in 0..10_001 {
        server.notify_resource_updated(format!("a:{number}"));
    }
    clock.pass(Duration::ZERO).await;
    clock.pass(Duration::from_secs(1)).await;
    assert_eq!(wire.count("resource"), 10_000);
}

async fn bus_pause() {
    let clock = Clock::stopped();
    let wire = Wire::default();
    let server = support::server();
    let _served = Served::http_with(&server, replica(&wire));
    wire.listeners(1).await;
    wire.cut();
    server.notify_changed(Change::Tools);
    clock.pass(Duration::ZERO).await;
    for (passed, refused) in [(100, 1), (450, 1), (100, 2), (450, 2), (100, 3)] {
        clock.pass(Duration::from_millis(passed)).await;
        assert_eq!(wire.refused(), refused);
    }
}

async fn gap_spread() {
    let clock = Clock::stopped();
    let wire = Wire::default();
    let mut server = support::builder();
    server.list_changed([List::Tools]);
    let served = Served::http_with(&server.build(), replica(&wire));
    let session = served.session().await;
    let mut stream = served.open(&get(&session, None)).await;
    read_until(&mut stream, "\r\n\r\n").await;
    clock.pass(Duration::from_secs(3)).await;
    // A single client is notified in the middle of the time.
    wire.deliver(&BusEvent::Gap);
    clock.pass(Duration::ZERO).await;
    clock.pass(Duration::from_millis(950)).await;
    assert!(!read_now(&stream).contains("tools/list_changed"));
    clock.pass(Duration::from_millis(100)).await;
    in_time(read_until(&mut stream, "tools/list_changed")).await;
}

async fn forwarded() {
    let clock = Clock::stopped();
    let wire = Wire::default();
    let served = Served::http_with(&support::server(), replica(&wire));
    let session = served.session().await;
    let session = [("mcp-session-id", &*session)];
    let begun = Instant::now();
    let answer = json!({"jsonrpc": "2.0", "id": 5, "result": {}});
    let answered = served.post(&session, &answer);
    let answered = clock.run_until(Duration::from_millis(10), answered).await;
    assert_eq!(answered.status, 202);
    assert_eq!(wire.published("forwarded"), 3);
    let waited = begun.elapsed().as_millis();
    assert!((3000..3500).contains(&waited), "{waited}");
    let ping = served.post(&session, &request(1, "ping", json!({}))).await;
    assert_eq!(ping.status, 200);
}

async fn memory_bus_messages() {
    for (sent, expected) in [(1024, false), (1025, true)] {
        let bus = MemoryBus::new();
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&events);
        let mut listening = bus.listen(Arc::new(move |event| heard.lock().unwrap().push(event)));
        assert!(listening.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        for _ in 0..sent {
            bus.publish(Bytes::new()).await.unwrap();
        }
        // A task may receive only so many messages before it yields.
        tokio::task::yield_now().await;
        assert!(listening.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let gaps = events.lock().unwrap();
        let gaps = gaps.iter().filter(|event| **event == BusEvent::Gap);
        // The first gap is the beginning.
        assert_eq!(gaps.count() == 2, expected, "{sent}");
    }
}
