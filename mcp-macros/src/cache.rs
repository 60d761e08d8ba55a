//! Reads `cache(…)`: how long clients may keep an answer.

use quote::ToTokens as _;
use syn::Expr;

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::grammar::CACHE;
use crate::model::Cache;
use crate::tool::duration;

/// Reads `cache(ttl = "5m", scope = public)`. Answers are private by default.
pub(crate) fn read(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<Cache> {
    let mut entries = entries.list("cache", &CACHE, diagnostics)?;
    let ttl = entries.time("ttl", diagnostics);
    let scope = entries.expr("scope", diagnostics);
    let shared = is(scope.as_ref(), "public");
    if let Some(scope) = scope.filter(|scope| !shared && !is(Some(scope), "private")) {
        let what = format!(
            "a cache is public or private, not `{}`",
            scope.to_token_stream()
        );
        diagnostics.mistake(&scope, what, "write `scope = public` or `scope = private`");
    }
    Some(Cache {
        ttl: duration(&ttl?, diagnostics)?,
        shared,
    })
}

fn is(scope: Option<&Expr>, word: &str) -> bool {
    matches!(scope, Some(Expr::Path(path)) if path.path.is_ident(word))
}
