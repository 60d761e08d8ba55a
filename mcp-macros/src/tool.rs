//! `#[tool]`: from a method to its model.

use quote::format_ident;
use syn::ext::IdentExt as _;
use syn::{ImplItemFn, LitStr};

use crate::attribute::{Entries, TOOL, TOOL_ARG};
use crate::diagnostics::Diagnostics;
use crate::model::{Running, Tool, Undocumented};
use crate::signature::{string, take_attribute};
use crate::{docs, expand, signature, validate};

/// What clients may be told about a tool's effects.
const HINTS: [&str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

/// Reads a method that is marked as a tool; `None` for others and for unsound ones.
pub(crate) fn read(
    function: &mut ImplItemFn,
    undocumented: Undocumented,
    diagnostics: &mut Diagnostics,
) -> Option<Tool> {
    let attribute = take_attribute(&mut function.attrs, "tool")?;
    function.attrs.push(expand::quiet());
    let before = diagnostics.count();
    let mut entries = Entries::of(Some(&attribute), &TOOL, diagnostics);
    let name = entries.literal("name", diagnostics);
    let title = entries.expr("title", diagnostics);
    let description = entries
        .expr("description", diagnostics)
        .or_else(|| docs::text(&function.attrs).map(|text| string(&text)));
    let hints = HINTS
        .into_iter()
        .filter_map(|hint| Some((format_ident!("{hint}"), entries.flag(hint, diagnostics)?)))
        .collect();
    let strict = entries.flag("strict", diagnostics).unwrap_or(false);
    let text_only = !entries.flag("output", diagnostics).unwrap_or(true);
    let icons = entries.expr("icons", diagnostics);
    let meta = entries.expr("meta", diagnostics);
    let running = running(&mut entries, function, diagnostics);
    if undocumented == Undocumented::Deny && description.is_none() {
        diagnostics.mistake(
            &function.sig.ident,
            format!("`{}` has no description", function.sig.ident),
            "say in a doc comment what it does: models choose by that",
        );
    }
    let callable = signature::read(&mut function.sig, &function.attrs, &TOOL_ARG, diagnostics)?;
    let tool = Tool {
        name: name
            .as_ref()
            .map_or_else(|| callable.ident.unraw().to_string(), LitStr::value),
        name_span: name.map_or_else(|| callable.ident.span(), |name| name.span()),
        callable,
        title,
        hints,
        strict,
        icons,
        meta,
        text_only,
        running,
        warns_undocumented: undocumented == Undocumented::Warn && description.is_none(),
        description,
    };
    validate::tool(&tool, diagnostics);
    (diagnostics.count() == before).then_some(tool)
}

fn running(entries: &mut Entries, function: &ImplItemFn, diagnostics: &mut Diagnostics) -> Running {
    let is_async = function.sig.asyncness.is_some();
    let blocking_at = entries.name_of("blocking");
    let blocking = entries.flag("blocking", diagnostics).unwrap_or(false);
    let timeout = entries.literal("timeout", diagnostics);
    if blocking && is_async {
        diagnostics.mistake(
            blocking_at,
            "an `async fn` cannot be `blocking`: it gives way where it awaits",
            "remove `blocking`, or make it a plain `fn`",
        );
    }
    if let Some(timeout) = timeout.as_ref().filter(|_| !is_async && !blocking) {
        diagnostics.mistake(
            timeout,
            "a plain `fn` cannot be stopped after a time",
            "make it an `async fn`, or run it aside with `blocking`",
        );
    }
    Running {
        blocking,
        timeout: timeout.and_then(|text| duration(&text, diagnostics)),
    }
}

/// A length of time such as `"250ms"`, `"30s"`, `"5m"` or `"1h"`, in milliseconds.
pub(crate) fn duration(text: &LitStr, diagnostics: &mut Diagnostics) -> Option<u64> {
    let value = text.value();
    let split = value.find(|letter: char| !letter.is_ascii_digit());
    let (number, unit) = value.split_at(split.unwrap_or(value.len()));
    let unit = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" | "min" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let number = number.parse::<u64>().ok();
    let duration = number
        .zip(unit)
        .and_then(|(number, unit)| number.checked_mul(unit));
    if duration.is_none() {
        diagnostics.mistake(
            text,
            format!("`{value}` is no length of time"),
            "write a whole number with its unit: `250ms`, `30s`, `5m`, `1h`",
        );
    }
    duration
}
