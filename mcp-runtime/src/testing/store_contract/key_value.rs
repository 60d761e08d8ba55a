//! The rules of key-value stores.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::{LARGEST, SOON, done, patterned, unique};
use crate::store::{KeyValue, PutMode, Version};

/// A time that does not end during a run.
const LONG: Duration = Duration::from_secs(60 * 60);
/// A time that ends during a run.
const SHORT: Duration = Duration::from_millis(300);
/// How much earlier than expected a value may end, because clocks are read before and after a call.
const INACCURACY: Duration = Duration::from_millis(50);
/// How many callers change a value at the same time.
const RACERS: usize = 32;

/// Checks that two handles of the same store, such as the handles of two processes, keep the rules
/// of [`KeyValue`].
///
/// # Panics
///
/// When a rule is broken, or a call fails.
pub async fn key_value(store: impl KeyValue, other: impl KeyValue) {
    let stores = Stores {
        handles: [Arc::new(store), Arc::new(other)],
        prefix: unique(),
    };
    stores.conditions().await;
    stores.versions().await;
    stores.values().await;
    stores.keys().await;
    stores.ends().await;
    stores.renewals().await;
    stores.races().await;
}

struct Stores {
    handles: [Arc<dyn KeyValue>; 2],
    prefix: String,
}

impl Stores {
    async fn put(
        &self,
        key: &str,
        value: impl Into<Bytes>,
        ttl: Duration,
        mode: PutMode,
    ) -> Option<Version> {
        let key = format!("{}/{key}", self.prefix);
        done(self.handles[0].put(&key, value.into(), ttl, mode)).await
    }

    /// Reads with the other handle.
    async fn get(&self, key: &str, renew: Option<Duration>) -> Option<(Bytes, Version)> {
        let key = format!("{}/{key}", self.prefix);
        let found = done(self.handles[1].get(&key, renew)).await;
        found.map(|found| (found.value, found.version))
    }

    async fn remove(&self, key: &str, version: Option<Version>) -> bool {
        let key = format!("{}/{key}", self.prefix);
        done(self.handles[0].remove(&key, version)).await
    }

    async fn conditions(&self) {
        let key = "conditions";
        let absent = Version::new(0);
        assert_eq!(self.get(key, None).await, None, "a new key has no value");
        let updated = self.put(key, "0", LONG, PutMode::Update(absent)).await;
        assert_eq!(updated, None, "`Update` needs a value");
        let created = self.put(key, "1", LONG, PutMode::Create).await;
        let first = created.expect("`Create` sets the value of a new key");
        let found = self.get(key, None).await;
        let expected = Some((Bytes::from("1"), first));
        assert_eq!(found, expected, "what `put` has set is found");
        let created = self.put(key, "2", LONG, PutMode::Create).await;
        assert_eq!(created, None, "`Create` does not replace a value");
        let found = self.get(key, None).await;
        assert_eq!(found, expected, "a refused `Create` changes nothing");
        let updated = self.put(key, "3", LONG, PutMode::Update(first)).await;
        let second = updated.expect("`Update` replaces the value of its version");
        let updated = self.put(key, "4", LONG, PutMode::Update(first)).await;
        assert_eq!(updated, None, "`Update` refuses an old version");
        let found = self.get(key, None).await;
        let expected = Some((Bytes::from("3"), second));
        assert_eq!(found, expected, "a refused `Update` changes nothing");
        let third = self.put(key, "5", LONG, PutMode::Overwrite).await;
        let third = third.expect("`Overwrite` always sets the value");
        let removed = self.remove(key, Some(second)).await;
        assert!(!removed, "an old version is not removed");
        let found = self.get(key, None).await;
        let expected = Some((Bytes::from("5"), third));
        assert_eq!(found, expected, "a refused removal changes nothing");
        let removed = self.remove(key, Some(third)).await;
        assert!(removed, "the current version is removed");
        assert_eq!(self.get(key, None).await, None, "a removed value is gone");
        let removed = self.remove(key, None).await;
        assert!(!removed, "only a value that is there is removed");
        let overwritten = self.put(key, "6", LONG, PutMode::Overwrite).await;
        assert!(overwritten.is_some(), "`Overwrite` needs no value");
        assert!(self.remove(key, None).await, "any version is removed");
    }

    async fn versions(&self) {
        let mut seen = HashSet::new();
        let mut is_new = |version: Option<Version>, mode| {
            let version = version.unwrap_or_else(|| panic!("`{mode}` sets this value"));
            assert!(seen.insert(version), "no version is used twice ({mode})");
            version
        };
        for _ in 0..16 {
            let created = self.put("versions", "", LONG, PutMode::Create).await;
            let version = is_new(created, "Create");
            let updated = self.put("versions", "", LONG, PutMode::Update(version));
            is_new(updated.await, "Update");
            let overwritten = self.put("versions", "", LONG, PutMode::Overwrite).await;
            is_new(overwritten, "Overwrite");
            assert!(self.remove("versions", None).await, "the value is removed");
        }
    }

    async fn values(&self) {
        let all = Bytes::from_iter(0..=u8::MAX);
        for value in [Bytes::new(), Bytes::from("\0"), all, patterned(LARGEST)] {
            let length = value.len();
            let version = self.put("values", value.clone(), LONG, PutMode::Overwrite);
            let version = version.await.expect("`Overwrite` always sets the value");
            let found = self.get("values", None).await;
            let is_same = found == Some((value, version));
            assert!(is_same, "a value of {length} bytes stays as it is");
        }
        assert!(self.remove("values", None).await, "the value is removed");
    }

    async fn keys(&self) {
        let printable: String = (' '..='~').collect();
        let longest = "k".repeat(512 - self.prefix.len() - 1);
        let keys = ["a", "A", "a ", "a/", "a/b", "a%", "a_", "a*"];
        let keys = keys.into_iter().chain([&*printable, &*longest]);
        let keys: Vec<_> = keys.collect();
        for key in &keys {
            let created = self.put(key, key.to_string(), LONG, PutMode::Create).await;
            assert!(created.is_some(), "each key has a value of its own ({key})");
        }
        for key in keys {
            let found = self.get(key, None).await.map(|found| found.0);
            let expected = Some(Bytes::from(key.to_owned()));
            assert_eq!(found, expected, "each key has a value of its own");
            let removed = self.remove(key, None).await;
            assert!(removed, "removing a key leaves other keys ({key})");
        }
    }

    /// Waits until a value is gone, and returns the time.
    async fn is_gone(&self, key: &str, rule: &str) -> Instant {
        let start = Instant::now();
        while self.get(key, None).await.is_some() {
            assert!(start.elapsed() < SOON, "{rule}");
            sleep(Duration::from_millis(10)).await;
        }
        Instant::now()
    }

    async fn ends(&self) {
        let start = Instant::now();
        let version = self.put("short", "", SHORT, PutMode::Create).await;
        let version = version.expect("`Create` sets the value of a new key");
        self.put("long", "", LONG, PutMode::Create).await;
        let end = self.is_gone("short", "a value ends after its time").await;
        assert!(
            end - start + INACCURACY >= SHORT,
            "a value is kept for its time"
        );
        assert!(self.remove("long", None).await, "a value is kept");
        let updated = self.put("short", "", LONG, PutMode::Update(version)).await;
        assert_eq!(updated, None, "`Update` needs a value that has not ended");
        let removed = self.remove("short", None).await;
        assert!(!removed, "a value that has ended is not removed");
        let created = self.put("short", "", LONG, PutMode::Create).await;
        assert!(created.is_some(), "`Create` replaces a value that ended");
        self.put("short", "", SHORT, PutMode::Overwrite).await;
        let rule = "`put` sets the time again";
        self.is_gone("short", rule).await;
    }

    async fn renewals(&self) {
        let version = loop {
            let start = Instant::now();
            let version = self.put("renewed", "", SHORT, PutMode::Overwrite).await;
            match self.get("renewed", Some(LONG)).await {
                Some((_, found)) => break (version, Some(found)),
                None => assert!(start.elapsed() >= SHORT, "a value is kept for its time"),
            }
        };
        assert_eq!(version.0, version.1, "a renewal does not change a version");
        self.put("not renewed", "", SHORT, PutMode::Overwrite).await;
        let rule = "`get` renews nothing unless it is asked to";
        self.is_gone("not renewed", rule).await;
        let found = self.get("renewed", Some(SHORT)).await;
        assert!(found.is_some(), "a renewed value is kept");
        let rule = "a renewal also shortens the time";
        self.is_gone("renewed", rule).await;
    }

    /// Runs `racer` for all racers at the same time, and returns how many return true.
    async fn race<F>(&self, racer: impl Fn(Arc<dyn KeyValue>, String) -> F) -> usize
    where
        F: Future<Output = bool> + Send + 'static,
    {
        let key = format!("{}/race", self.prefix);
        let handles = self.handles.iter().cycle().take(RACERS);
        let racers: JoinSet<_> = handles
            .map(|handle| racer(Arc::clone(handle), key.clone()))
            .collect();
        let outcomes = racers.join_all().await;
        outcomes.into_iter().filter(|has_won| *has_won).count()
    }

    async fn races(&self) {
        let create = |store: Arc<dyn KeyValue>, key: String| async move {
            let created = store.put(&key, Bytes::from("0"), LONG, PutMode::Create);
            done(created).await.is_some()
        };
        assert_eq!(self.race(create).await, 1, "one of many `Create` succeeds");
        let increment = |store: Arc<dyn KeyValue>, key: String| async move {
            loop {
                let found = done(store.get(&key, None)).await;
                let found = found.expect("a value is kept");
                let count = String::from_utf8_lossy(&found.value).parse::<usize>();
                let next = (count.expect("a number") + 1).to_string();
                let update = PutMode::Update(found.version);
                let updated = store.put(&key, next.into(), LONG, update);
                if done(updated).await.is_some() {
                    return true;
                }
            }
        };
        self.race(increment).await;
        let sum = self.get("race", None).await.map(|found| found.0);
        let expected = Some(Bytes::from(RACERS.to_string()));
        assert_eq!(sum, expected, "`Update` checks and sets in one step");
        let remove = |store: Arc<dyn KeyValue>, key: String| async move {
            done(store.remove(&key, None)).await
        };
        assert_eq!(self.race(remove).await, 1, "one of many removals succeeds");
    }
}
