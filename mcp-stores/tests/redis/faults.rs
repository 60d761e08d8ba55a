//! Redis is away, stalls or is full, and comes back.

use std::time::{Duration, Instant};

use bytes::Bytes;
use mcp_runtime::store::{Bus as _, BusEvent, KeyValue as _, PutMode, StoreError};
use mcp_stores::Redis;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::listen;
use crate::server::Server;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long anything may take on a busy machine.
const SOON: Duration = Duration::from_secs(10);

async fn next(events: &mut UnboundedReceiver<BusEvent>) -> BusEvent {
    timeout(SOON, events.recv()).await.unwrap().unwrap()
}

/// Checks that a call failed in time, and returns the message.
fn unavailable<T>(outcome: Result<T, StoreError>, start: Instant) -> String {
    let Err(error) = outcome else {
        panic!("the call succeeds");
    };
    let elapsed = start.elapsed();
    eprintln!("after {elapsed:?}: {error}");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    error.to_string()
}

#[tokio::test]
async fn calls_end_while_redis_stalls_and_succeed_when_it_goes_on() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let redis = server.connect().await;
    let mut events = listen(&redis);
    assert_eq!(next(&mut events).await, BusEvent::Gap);
    let value = Bytes::from("value");
    redis
        .put("kept", value.clone(), DAY, PutMode::Create)
        .await
        .unwrap();
    server.signal("STOP");
    for _ in 0..3 {
        let start = Instant::now();
        let error = unavailable(redis.get("kept", None).await, start);
        assert!(error.contains("does not answer in time"), "{error}");
    }
    let start = Instant::now();
    unavailable(redis.publish(value.clone()).await, start);
    server.signal("CONT");
    let found = redis.get("kept", None).await.unwrap().unwrap();
    assert_eq!(found.value, value);
    // The messages that were sent during the stall may arrive, because Redis got them.
    assert_eq!(next(&mut events).await, BusEvent::Gap);
    let message = Bytes::from("after the stall");
    redis.publish(message.clone()).await.unwrap();
    while next(&mut events).await != BusEvent::Message(message.clone()) {}
}

#[tokio::test]
async fn the_first_call_after_a_restart_succeeds_and_listeners_get_a_gap() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let redis = server.connect().await;
    let mut events = listen(&redis);
    assert_eq!(next(&mut events).await, BusEvent::Gap);
    let value = Bytes::from("value");
    redis
        .put("lost", value.clone(), DAY, PutMode::Create)
        .await
        .unwrap();
    server.kill();
    for _ in 0..3 {
        let start = Instant::now();
        unavailable(redis.get("lost", None).await, start);
    }
    server.restart();
    assert_eq!(redis.get("lost", None).await.unwrap(), None);
    assert_eq!(next(&mut events).await, BusEvent::Gap);
    redis.publish(value.clone()).await.unwrap();
    assert_eq!(next(&mut events).await, BusEvent::Message(value));
}

#[tokio::test]
async fn lost_connections_are_replaced() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let redis = server.connect().await;
    let mut events = listen(&redis);
    assert_eq!(next(&mut events).await, BusEvent::Gap);
    let value = Bytes::from("value");
    for _ in 0..3 {
        assert_eq!(server.run("CLIENT KILL TYPE normal"), ":1");
        assert_eq!(server.run("CLIENT KILL TYPE pubsub"), ":1");
        assert_eq!(next(&mut events).await, BusEvent::Gap);
        redis.publish(value.clone()).await.unwrap();
        assert_eq!(next(&mut events).await, BusEvent::Message(value.clone()));
    }
}

#[tokio::test]
async fn a_full_redis_takes_no_new_values_and_still_has_the_old_ones() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let redis = server.connect().await;
    let value = Bytes::from("value");
    let put = |key, mode| redis.put(key, value.clone(), DAY, mode);
    let version = put("old", PutMode::Create).await.unwrap().unwrap();
    assert_eq!(server.run("CONFIG SET maxmemory 1"), "+OK");
    for (key, mode) in [
        ("new", PutMode::Create),
        ("new", PutMode::Overwrite),
        ("old", PutMode::Update(version)),
    ] {
        let start = Instant::now();
        let error = unavailable(put(key, mode).await, start);
        assert!(error.contains("maxmemory"), "{error}");
    }
    let found = redis.get("old", Some(DAY)).await.unwrap().unwrap();
    assert_eq!(found.version, version);
    assert!(redis.remove("old", Some(version)).await.unwrap());
    assert_eq!(server.run("CONFIG SET maxmemory 0"), "+OK");
    assert!(put("new", PutMode::Create).await.unwrap().is_some());
}

#[tokio::test]
async fn a_connection_that_no_longer_answers_is_replaced() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    // The host of the old connections is gone: nothing passes, and no connection is closed.
    let (gone, is_gone) = tokio::sync::watch::channel(false);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let port = server.port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut is_gone = is_gone.clone();
            is_gone.mark_unchanged();
            tokio::spawn(async move {
                let mut redis = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let passing = tokio::io::copy_bidirectional(&mut client, &mut redis);
                tokio::select! {
                    _ = passing => {}
                    _ = is_gone.changed() => std::future::pending().await,
                }
            });
        }
    });
    let redis = Redis::connect(&url, "test").await.unwrap();
    assert_eq!(redis.get("key", None).await.unwrap(), None);
    gone.send_replace(true);
    let start = Instant::now();
    unavailable(redis.get("key", None).await, start);
    assert_eq!(redis.get("key", None).await.unwrap(), None);
}
