//! The table of what is kept.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use mcp_types::RawJson;

use super::hints::Hints;
use crate::limits::{MAX_CACHED_ANSWERS, MAX_CACHED_BYTES};

/// Which answer is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) method: &'static str,
    /// The parameters, as they were sent.
    pub(super) params: Arc<str>,
}

/// What is kept, by the caller that it is kept for; by `None`, what is kept for all.
#[derive(Debug, Default)]
pub(super) struct Entries {
    kept: HashMap<(Option<u64>, Key), Entry>,
    bytes: usize,
    /// Grows with each invalidation, so that no answer is kept which was overtaken by one.
    generation: u64,
}

#[derive(Debug)]
struct Entry {
    result: RawJson,
    until: Instant,
}

impl Entries {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The answer for `caller`, if it is still good.
    pub(super) fn get(&self, caller: u64, key: &Key, now: Instant) -> Option<RawJson> {
        let found = [Some(caller), None].into_iter().find_map(|owner| {
            let entry = self.kept.get(&(owner, key.clone()))?;
            (now < entry.until).then_some(entry)
        });
        Some(found?.result.clone())
    }

    /// Keeps an answer that was asked for in `generation`.
    pub(super) fn put(
        &mut self,
        caller: u64,
        key: Key,
        result: &RawJson,
        hints: Hints,
        generation: u64,
        now: Instant,
    ) {
        let size = result.get().len();
        let Some(until) = now.checked_add(hints.ttl) else {
            return;
        };
        if generation != self.generation || size > MAX_CACHED_BYTES {
            return;
        }
        let key = ((!hints.public).then_some(caller), key);
        self.remove(&key);
        self.make_room(size, now);
        self.bytes += size;
        let result = result.clone();
        self.kept.insert(key, Entry { result, until });
    }

    /// Forgets what has had its time, and then what has least of it left.
    fn make_room(&mut self, size: usize, now: Instant) {
        let full = |entries: &Self| {
            entries.kept.len() >= MAX_CACHED_ANSWERS || entries.bytes + size > MAX_CACHED_BYTES
        };
        if full(self) {
            self.retain(|_, entry| now < entry.until);
        }
        while full(self) {
            let oldest = self.kept.iter().min_by_key(|(_, entry)| entry.until);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.remove(&key);
        }
    }

    /// Forgets all answers, for whomever, that `stale` says have changed.
    pub(super) fn invalidate(&mut self, stale: impl Fn(&Key) -> bool) {
        self.generation += 1;
        self.retain(|key, _| !stale(key));
    }

    /// Forgets what is kept for `caller` alone.
    pub(super) fn leave(&mut self, caller: u64) {
        let mine = self.kept.keys().filter(|key| key.0 == Some(caller));
        let mine: Vec<_> = mine.cloned().collect();
        mine.iter().for_each(|key| self.remove(key));
    }

    fn retain(&mut self, keep: impl Fn(&Key, &Entry) -> bool) {
        let bytes = &mut self.bytes;
        self.kept.retain(|(_, key), entry| {
            let kept = keep(key, entry);
            if !kept {
                *bytes -= entry.result.get().len();
            }
            kept
        });
    }

    fn remove(&mut self, key: &(Option<u64>, Key)) {
        if let Some(entry) = self.kept.remove(key) {
            self.bytes -= entry.result.get().len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn key(params: &str) -> Key {
        Key {
            method: "tools/list",
            params: params.into(),
        }
    }

    fn hints(seconds: u32, public: bool) -> Hints {
        Hints {
            ttl: seconds * SECOND,
            public,
        }
    }

    fn result(text: &str) -> RawJson {
        RawJson::new(text).unwrap()
    }

    #[test]
    fn an_answer_is_kept_for_as_long_and_for_whom_it_says() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        entries.put(1, key("a"), &result("mine"), hints(10, false), 0, now);
        entries.put(1, key("b"), &result("ours"), hints(10, true), 0, now);
        let later = now + 9 * SECOND;
        assert_eq!(entries.get(1, &key("a"), later), Some(result("mine")));
        assert_eq!(entries.get(2, &key("a"), later), None);
        assert_eq!(entries.get(2, &key("b"), later), Some(result("ours")));
        assert_eq!(entries.get(1, &key("a"), now + 10 * SECOND), None);
        entries.leave(1);
        assert_eq!(entries.get(1, &key("a"), later), None);
        assert_eq!(entries.get(1, &key("b"), later), Some(result("ours")));
    }

    #[test]
    fn what_has_changed_is_forgotten_also_if_it_is_still_on_its_way() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        entries.put(1, key("a"), &result("old"), hints(10, true), 0, now);
        entries.invalidate(|key| &*key.params == "a");
        assert_eq!(entries.get(1, &key("a"), now), None);
        entries.put(1, key("a"), &result("old"), hints(10, true), 0, now);
        assert_eq!(entries.get(1, &key("a"), now), None);
        let generation = entries.generation();
        entries.put(
            1,
            key("a"),
            &result("new"),
            hints(10, true),
            generation,
            now,
        );
        assert_eq!(entries.get(1, &key("a"), now), Some(result("new")));
    }

    #[test]
    fn little_is_kept_and_what_lasts_longest_stays() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        for number in 0..2000 {
            let hints = hints(5000 - number, false);
            entries.put(1, key(&number.to_string()), &result("x"), hints, 0, now);
        }
        assert_eq!(entries.kept.len(), MAX_CACHED_ANSWERS);
        assert!(entries.get(1, &key("0"), now).is_some());
        let large = result(&"x".repeat(MAX_CACHED_BYTES - 10));
        entries.put(1, key("large"), &large, hints(1, false), 0, now);
        assert!(entries.bytes <= MAX_CACHED_BYTES);
        assert!(entries.get(1, &key("large"), now).is_some());
        entries.invalidate(|_| true);
        assert_eq!(entries.bytes, 0);
    }
}
