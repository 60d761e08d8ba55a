//! How long clients may keep lists.

use std::time::Duration;

use mcp_types::{
    CacheScope, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult,
};

/// What lists say of themselves to whoever keeps them (2026-07-28, "Caching").
#[derive(Clone, Debug, Default)]
pub(super) struct Caching(Option<(u64, CacheScope)>);

impl Caching {
    pub(super) fn new(ttl: Duration, scope: CacheScope) -> Self {
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self(Some((milliseconds, scope)))
    }

    /// Says it in a list.
    pub(super) fn mark<L: Cached>(&self, list: L) -> L {
        match &self.0 {
            Some((ttl, scope)) => list.cached(*ttl, scope.clone()),
            None => list,
        }
    }
}

/// A list that can say how long it holds.
pub(super) trait Cached {
    fn cached(self, milliseconds: u64, scope: CacheScope) -> Self;
}

macro_rules! cached {
    ($($list:ident),*) => {$(
        impl Cached for $list {
            fn cached(self, milliseconds: u64, scope: CacheScope) -> Self {
                self.with_ttl_ms(milliseconds).with_cache_scope(scope)
            }
        }
    )*};
}

cached!(
    ListToolsResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult
);
