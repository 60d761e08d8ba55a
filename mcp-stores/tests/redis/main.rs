//! Tests with a real `redis-server`. They are skipped if it is not installed.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod buckets;
mod connecting;
mod faults;
mod server;
mod tasks;

use std::sync::Arc;

use mcp_runtime::store::{Bus, BusEvent};
use mcp_runtime::testing::store_contract;
use mcp_stores::Redis;
use server::Server;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

#[tokio::test]
async fn redis_keeps_the_contract_of_stores() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let store = server.connect().await;
    store_contract::key_value(store, server.connect().await).await;
}

#[tokio::test]
async fn redis_keeps_the_contract_of_buses() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let bus = server.connect().await;
    store_contract::bus(bus, server.connect().await).await;
}

/// Listens until the receiver is dropped.
fn listen(redis: &Redis) -> UnboundedReceiver<BusEvent> {
    let (sender, events) = unbounded_channel();
    let closed = sender.clone();
    let listening = redis.listen(Arc::new(move |event| drop(sender.send(event))));
    tokio::spawn(async move {
        tokio::select! {
            () = listening => {}
            () = closed.closed() => {}
        }
    });
    events
}
