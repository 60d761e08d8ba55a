//! How long clients may keep answers.

use std::time::Duration;

use mcp_types::{
    CacheScope, DiscoverResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, ReadResourceResult,
};

/// What answers say of themselves to whoever keeps them (2026-07-28, "Caching").
#[derive(Clone, Debug, Default)]
pub(super) struct Caching(Option<(u64, CacheScope)>);

impl Caching {
    pub(super) fn new(ttl: Duration, scope: CacheScope) -> Self {
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self(Some((milliseconds, scope)))
    }

    /// Says it in an answer, unless that says something itself.
    pub(super) fn mark<A: Cached>(&self, mut answer: A) -> A {
        if let Some((milliseconds, scope)) = &self.0 {
            let (ttl, audience) = answer.caching();
            ttl.get_or_insert(*milliseconds);
            audience.get_or_insert_with(|| scope.clone());
        }
        answer
    }

    /// Says it in an answer that was made for one caller, and is good for no other.
    pub(super) fn mark_private<A: Cached>(&self, mut answer: A) -> A {
        *answer.caching().1 = Some(CacheScope::Private);
        self.mark(answer)
    }
}

/// An answer that can say how long it holds.
pub(super) trait Cached {
    /// The milliseconds, and for whom.
    fn caching(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>);
}

macro_rules! cached {
    ($($answer:ident),*) => {$(
        impl Cached for $answer {
            fn caching(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>) {
                (&mut self.ttl_ms, &mut self.cache_scope)
            }
        }
    )*};
}

cached!(
    DiscoverResult,
    ListToolsResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult
);
