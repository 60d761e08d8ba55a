//! `cache(…)`: how long clients may keep what they get.

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::grammar::CACHE;
use crate::model::Cache;
use crate::tool::duration;

/// `cache(ttl = "5m", scope = public)`; without a scope, answers are private.
pub(crate) fn read(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<Cache> {
    let mut entries = entries.list("cache", &CACHE, diagnostics)?;
    let ttl = entries.literal("ttl", diagnostics);
    let scope = entries.ident("scope", diagnostics);
    let shared = scope.as_ref().is_some_and(|scope| scope == "public");
    if let Some(scope) = scope.filter(|scope| !shared && *scope != "private") {
        let what = format!("a cache is public or private, not `{scope}`");
        diagnostics.mistake(&scope, what, "write `scope = public` or `scope = private`");
    }
    Some(Cache {
        ttl: duration(&ttl?, diagnostics)?,
        shared,
    })
}
