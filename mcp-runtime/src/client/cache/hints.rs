//! What an answer says about being kept.

use std::time::Duration;

use mcp_types::{CacheScope, RawJson};
use serde::Deserialize;

/// How long an answer may be kept, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hints {
    pub(super) ttl: Duration,
    /// Whether other callers may get it.
    pub(super) public: bool,
}

impl Hints {
    /// What `result` says; `None` where it may not be kept.
    pub(super) fn of(result: &RawJson) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Said {
            // Negative ones mean that nothing may be kept.
            ttl_ms: Option<i64>,
            cache_scope: Option<CacheScope>,
        }

        let said: Said = result.parse().ok()?;
        let ttl = u64::try_from(said.ttl_ms?).ok().filter(|ttl| *ttl > 0)?;
        Some(Self {
            ttl: Duration::from_millis(ttl),
            public: said.cache_scope == Some(CacheScope::Public),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(json: &str) -> Option<Hints> {
        Hints::of(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn only_what_has_a_lifetime_is_kept_and_only_for_oneself_unless_it_is_public() {
        for json in [
            "{}",
            r#"{"ttlMs":0}"#,
            r#"{"ttlMs":-5}"#,
            r#"{"ttlMs":"x"}"#,
        ] {
            assert_eq!(hints(json), None, "{json}");
        }
        let ttl = Duration::from_millis(5);
        for (scope, public) in [("public", true), ("private", false), ("other", false)] {
            let json = format!(r#"{{"ttlMs":5,"cacheScope":"{scope}"}}"#);
            assert_eq!(hints(&json), Some(Hints { ttl, public }));
        }
        let public = false;
        assert_eq!(hints(r#"{"ttlMs":5}"#), Some(Hints { ttl, public }));
    }
}
