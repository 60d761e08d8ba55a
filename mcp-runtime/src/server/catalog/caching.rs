//! How long clients may keep results.

use std::time::Duration;

use mcp_types::{
    CacheScope, DiscoverResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, ReadResourceResult,
};

/// How long clients may keep a result, in milliseconds, and for whom (2026-07-28, "Caching"); not
/// at all unless set.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Caching(Option<(u64, CacheScope)>);

impl Caching {
    pub(in crate::server) fn new(ttl: Duration, scope: CacheScope) -> Self {
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self(Some((milliseconds, scope)))
    }

    /// Marks a result, as far as it is not marked already; as good for one caller only, if it is
    /// `private`.
    pub(in crate::server) fn mark<R: Cached>(&self, mut result: R, private: bool) -> R {
        let (result_ttl, result_scope) = result.caching();
        if private {
            *result_scope = Some(CacheScope::Private);
        }
        if let Some((ttl, scope)) = &self.0 {
            result_ttl.get_or_insert(*ttl);
            result_scope.get_or_insert_with(|| scope.clone());
        }
        result
    }
}

/// A result with members that allow clients to keep it.
pub(in crate::server) trait Cached {
    /// The time in milliseconds, and the scope.
    fn caching(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>);
}

macro_rules! cached {
    ($($result:ident),*) => {$(
        impl Cached for $result {
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
