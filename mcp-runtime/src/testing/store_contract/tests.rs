//! The suites accept the stores of this crate, and find what is wrong with broken ones.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;

use super::{bus, key_value};
use crate::connection::BoxFuture;
use crate::store::{
    Bus, BusEvent, KeyValue, MemoryBus, MemoryKeyValue, PutMode, StoreFuture, Version, Versioned,
};

/// Returns the rule that the suite finds broken.
async fn broken(suite: impl Future<Output = ()> + Send + 'static) -> String {
    let panic = tokio::spawn(suite).await.unwrap_err().into_panic();
    let text = panic.downcast::<String>().map(|text| *text);
    text.unwrap_or_else(|panic| (*panic.downcast::<&str>().unwrap()).to_owned())
}

#[tokio::test]
async fn the_stores_of_this_crate_keep_the_contracts() {
    let store = MemoryKeyValue::new();
    key_value(store.clone(), store).await;
    let messages = MemoryBus::new();
    bus(messages.clone(), messages).await;
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Replaces,
    IsNotAtomic,
    NeverRenews,
    AlwaysRenews,
    NeverShortens,
    NeverEnds,
    EndsEarly,
    IgnoresVersions,
    IgnoresCase,
    CutsValues,
}

/// A store with a fault.
#[derive(Clone)]
struct Broken(MemoryKeyValue, Fault);

const LONG: Duration = Duration::from_secs(60 * 60);

impl Broken {
    fn key(&self, key: &str) -> String {
        match self.1 {
            Fault::IgnoresCase => key.to_lowercase(),
            _ => key.to_owned(),
        }
    }
}

impl KeyValue for Broken {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let renew = match self.1 {
            Fault::NeverRenews => None,
            Fault::AlwaysRenews => Some(renew.unwrap_or(LONG)),
            Fault::NeverShortens => renew.filter(|renew| *renew >= LONG),
            _ => renew,
        };
        self.0.get(&self.key(key), renew)
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        let key = self.key(key);
        let store = self.0.clone();
        let (value, ttl, mode) = match (self.1, mode) {
            (Fault::Replaces, PutMode::Create) => (value, ttl, PutMode::Overwrite),
            (Fault::CutsValues, _) => {
                let end = value.iter().position(|byte| *byte == 0);
                (value.slice(..end.unwrap_or(value.len())), ttl, mode)
            }
            (Fault::NeverEnds, _) => (value, LONG, mode),
            (Fault::EndsEarly, _) => (value, ttl / 2, mode),
            (Fault::IsNotAtomic, PutMode::Update(version)) => {
                return Box::pin(async move {
                    let found = store.get(&key, None).await?;
                    if found.is_none_or(|found| found.version != version) {
                        return Ok(None);
                    }
                    tokio::task::yield_now().await;
                    store.put(&key, value, ttl, PutMode::Overwrite).await
                });
            }
            _ => (value, ttl, mode),
        };
        store.put(&key, value, ttl, mode)
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        let version = version.filter(|_| self.1 != Fault::IgnoresVersions);
        self.0.remove(&self.key(key), version)
    }
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_a_store_is_found() {
    let faults = [
        (Fault::Replaces, "`Create` does not replace a value"),
        (Fault::IsNotAtomic, "`Update` checks and sets in one step"),
        (Fault::NeverRenews, "a renewed value is kept"),
        (Fault::AlwaysRenews, "a value ends after its time"),
        (Fault::NeverShortens, "a renewal also shortens the time"),
        (Fault::NeverEnds, "a value ends after its time"),
        (Fault::EndsEarly, "a value is kept for its time"),
        (Fault::IgnoresVersions, "an old version is not removed"),
        (Fault::IgnoresCase, "each key has a value of its own (A)"),
        (Fault::CutsValues, "a value of 1 bytes stays as it is"),
    ];
    for (fault, rule) in faults {
        let store = Broken(MemoryKeyValue::new(), fault);
        let found = broken(key_value(store.clone(), store)).await;
        assert!(found.contains(rule), "{rule}: {found}");
    }
}

/// A store whose versions begin again at 1 after a value was removed.
#[derive(Clone, Default)]
struct Counting {
    store: MemoryKeyValue,
    versions: Arc<Mutex<HashMap<String, u64>>>,
}

impl KeyValue for Counting {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let found = self.store.get(key, renew);
        let version = self.versions.lock().unwrap().get(key).copied();
        Box::pin(async move {
            let found = found.await?;
            Ok(found.map(|found| Versioned {
                value: found.value,
                version: Version::new(version.unwrap()),
            }))
        })
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        let mut versions = self.versions.lock().unwrap();
        let current = versions.get(key).copied();
        let is_allowed = match mode {
            PutMode::Overwrite => true,
            PutMode::Create => current.is_none(),
            PutMode::Update(version) => current == Some(version.number()),
        };
        if !is_allowed {
            return Box::pin(async { Ok(None) });
        }
        let next = current.unwrap_or_default() + 1;
        versions.insert(key.to_owned(), next);
        let put = self.store.put(key, value, ttl, PutMode::Overwrite);
        Box::pin(async move { Ok(put.await?.map(|_| Version::new(next))) })
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        let mut versions = self.versions.lock().unwrap();
        if version.is_some_and(|version| versions.get(key) != Some(&version.number())) {
            return Box::pin(async { Ok(false) });
        }
        versions.remove(key);
        self.store.remove(key, None)
    }
}

#[tokio::test]
async fn versions_that_come_back_are_found() {
    let store = Counting::default();
    let found = broken(key_value(store.clone(), store)).await;
    assert!(
        found.contains("no version is used twice (Create)"),
        "{found}"
    );
}

#[derive(Clone, Copy, PartialEq)]
enum BusFault {
    BeginsWithoutGap,
    RepeatsOld,
    Reorders,
    MissesItself,
    CutsMessages,
    NeverStops,
}

/// A bus with a fault. Handles are numbered.
struct BrokenBus {
    bus: MemoryBus,
    fault: BusFault,
    number: u8,
    published: Arc<AtomicU64>,
    held: Arc<Mutex<Vec<Bytes>>>,
}

impl Bus for BrokenBus {
    fn publish(&self, message: Bytes) -> StoreFuture<()> {
        let count = self.published.fetch_add(1, Relaxed);
        let mut held = self.held.lock().unwrap();
        match self.fault {
            BusFault::RepeatsOld => held.push(message.clone()),
            // The second and the third message are swapped.
            BusFault::Reorders if count == 1 => {
                held.push(message);
                return Box::pin(async { Ok(()) });
            }
            BusFault::Reorders if count == 2 => {
                let first = self.bus.publish(message);
                let second = self.bus.publish(held.remove(0));
                return Box::pin(async {
                    first.await?;
                    second.await
                });
            }
            BusFault::CutsMessages => {
                let length = message.len().min(1 << 20);
                return self.bus.publish(message.slice(..length));
            }
            BusFault::MissesItself => {
                let message = [&[self.number], &*message].concat();
                return self.bus.publish(message.into());
            }
            _ => {}
        }
        self.bus.publish(message)
    }

    fn listen(&self, deliver: Arc<dyn Fn(BusEvent) + Send + Sync>) -> BoxFuture<()> {
        let number = self.number;
        let fault = self.fault;
        let held = Arc::clone(&self.held);
        let listening = self.bus.listen(Arc::new(move |event| match (fault, event) {
            (BusFault::BeginsWithoutGap, BusEvent::Gap) => {}
            (BusFault::RepeatsOld, BusEvent::Gap) => {
                deliver(BusEvent::Gap);
                let old = held.lock().unwrap().clone();
                old.into_iter().map(BusEvent::Message).for_each(&*deliver);
            }
            (BusFault::MissesItself, BusEvent::Message(message)) => {
                if message[0] != number {
                    deliver(BusEvent::Message(message.slice(1..)));
                }
            }
            (_, event) => deliver(event),
        }));
        if fault == BusFault::NeverStops {
            drop(tokio::spawn(listening));
            return Box::pin(std::future::pending());
        }
        listening
    }
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_a_bus_is_found() {
    let faults = [
        (BusFault::BeginsWithoutGap, "gets a gap when it begins"),
        (BusFault::RepeatsOld, "what is published from now on"),
        (BusFault::Reorders, "each listener gets, in order"),
        (BusFault::MissesItself, "each message is delivered soon"),
        (BusFault::CutsMessages, "4194304 bytes stays as it is"),
        (BusFault::NeverStops, "a dropped listener gets nothing"),
    ];
    for (fault, rule) in faults {
        let messages = MemoryBus::new();
        let published = Arc::default();
        let held = Arc::default();
        let [first, second] = [1, 2].map(|number| BrokenBus {
            bus: messages.clone(),
            fault,
            number,
            published: Arc::clone(&published),
            held: Arc::clone(&held),
        });
        let found = broken(bus(first, second)).await;
        assert!(found.contains(rule), "{rule}: {found}");
    }
}
