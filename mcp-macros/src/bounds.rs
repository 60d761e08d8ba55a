//! Reads `range` and `length`, and refuses ranges that contain no value.

use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, UnOp};

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::model::{Bounds, Limit, Made, Rules};

/// Reads the entry `name` as a range.
pub(crate) fn read(
    entries: &mut Entries,
    name: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<Bounds> {
    let expr = entries.expr(name, diagnostics)?;
    let Expr::Range(ExprRange {
        start, end, limits, ..
    }) = expr
    else {
        diagnostics.mistake(
            expr,
            format!("`{name}` needs a range"),
            format!("write `{name} = 1..=100`, `{name} = 1..` or `{name} = ..=100`"),
        );
        return None;
    };
    let span = expr_span(start.as_deref(), end.as_deref(), &limits);
    let to = match (end, &limits) {
        (None, _) => Limit::Unbounded,
        (Some(end), RangeLimits::Closed(_)) => Limit::Included(end),
        (Some(end), RangeLimits::HalfOpen(_)) => Limit::Excluded(end),
    };
    Some(Bounds {
        span,
        from: start.map_or(Limit::Unbounded, Limit::Included),
        to,
    })
}

fn expr_span(start: Option<&Expr>, end: Option<&Expr>, limits: &RangeLimits) -> proc_macro2::Span {
    use syn::spanned::Spanned as _;
    start
        .or(end)
        .map_or_else(|| limits.span(), syn::spanned::Spanned::span)
}

/// Refuses empty ranges, and a default outside its range. Only number literals can be checked.
pub(crate) fn check(rules: &Rules, diagnostics: &mut Diagnostics) {
    for bounds in rules.range.iter().chain(&rules.length) {
        if is_empty(bounds) {
            let (Limit::Included(at) | Limit::Excluded(at)) = &bounds.to else {
                continue;
            };
            let what = "no value is in this range: it ends before it begins";
            diagnostics.mistake(at, what, "write the smaller number first");
        }
    }
    if let (Some(range), Some(Made::Is(default))) = (&rules.range, &rules.default)
        && !is_empty(range)
        && let Some(number) = number(default)
        && !contains(range, number)
    {
        diagnostics.mistake(
            default,
            "the default is outside the argument's own `range`, so every call without it would fail",
            "widen the range, or choose a number inside",
        );
    }
}

fn is_empty(bounds: &Bounds) -> bool {
    let Limit::Included(from) = &bounds.from else {
        return false;
    };
    let from = number(from);
    match &bounds.to {
        Limit::Included(to) => number(to) < from && number(to).is_some(),
        Limit::Excluded(to) => number(to) <= from && number(to).is_some(),
        Limit::Unbounded => false,
    }
}

fn contains(bounds: &Bounds, value: f64) -> bool {
    let low = match &bounds.from {
        Limit::Included(from) => number(from).is_none_or(|from| value >= from),
        _ => true,
    };
    let high = match &bounds.to {
        Limit::Included(to) => number(to).is_none_or(|to| value <= to),
        Limit::Excluded(to) => number(to).is_none_or(|to| value < to),
        Limit::Unbounded => true,
    };
    low && high
}

fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(number) => number.base10_parse().ok(),
            Lit::Float(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => number(expr).map(|number| -number),
        _ => None,
    }
}
