//! Reads the settings that only tools have, and how functions run.

use quote::format_ident;
use syn::{LitStr, Signature};

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::model::{Argument, Function, Kind, Running, Tool};
use crate::types;

const HINTS: [&str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

pub(crate) fn read(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Tool {
    let hints = HINTS
        .into_iter()
        .filter_map(|hint| Some((format_ident!("{hint}"), entries.flag(hint, diagnostics)?)))
        .collect();
    Tool {
        hints,
        strict: entries.flag("strict", diagnostics).unwrap_or(false),
        lenient: entries.flag("lenient", diagnostics),
        output: entries.output(diagnostics),
        with: entries.exprs("with", diagnostics),
    }
}

/// The only argument, if its name or type suggests that the user wants it to be all arguments
/// together.
pub(crate) fn nested(function: &Function) -> Option<&Argument> {
    const NAMES: [&str; 9] = [
        "args",
        "arguments",
        "body",
        "input",
        "params",
        "parameters",
        "payload",
        "req",
        "request",
    ];
    let mut arguments = function.callable.arguments();
    let argument = arguments.next().filter(|argument| !argument.is_nested)?;
    let kind = types::name(&argument.kind)?.to_string();
    let is_of_std = [
        "String", "Vec", "Option", "Value", "Json", "HashMap", "BTreeMap",
    ]
    .contains(&&*kind)
        || !kind.starts_with(char::is_uppercase);
    let name = argument.name.to_lowercase();
    let kind = kind.to_lowercase();
    let is_all = |it: &&str| name == **it || kind.ends_with(*it);
    let is_alone = arguments.next().is_none() && matches!(function.kind, Kind::Tool(_));
    (is_alone && !is_of_std && NAMES.iter().any(is_all)).then_some(argument)
}

/// Reads whether the function is blocking, and its timeout.
pub(crate) fn running(
    entries: &mut Entries,
    signature: &Signature,
    is_blocking_block: bool,
    diagnostics: &mut Diagnostics,
) -> Running {
    let is_async = signature.asyncness.is_some();
    let blocking_at = entries.name_of("blocking");
    let own = entries.flag("blocking", diagnostics);
    let blocking_helpers = own.unwrap_or(is_blocking_block);
    let blocking = blocking_helpers && !is_async;
    let timeout = entries.time("timeout", diagnostics);
    let timeout_ms = timeout.as_ref().and_then(|it| duration(it, diagnostics));
    if own == Some(true) && is_async {
        diagnostics.mistake(
            blocking_at,
            "an `async fn` cannot be `blocking`: it already yields where it awaits",
            "remove `blocking`, or make it a plain `fn`",
        );
    }
    if let Some(timeout) = timeout.as_ref().filter(|_| !is_async && !blocking) {
        diagnostics.mistake(
            timeout,
            "a plain `fn` cannot have a timeout",
            "make it an `async fn`, or run it on another thread with `blocking`",
        );
    }
    if timeout_ms == Some(0) {
        let what = "a timeout of zero would stop every call";
        diagnostics.mistake(&timeout, what, "remove `timeout` for calls without a limit");
    }
    Running {
        blocking,
        blocking_helpers,
        timeout: timeout_ms,
    }
}

/// Parses a duration such as `"250ms"`, `"30s"`, `"5m"` or `"1h"` into milliseconds.
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
            format!("`{value}` is not a duration"),
            "write a whole number with its unit: `250ms`, `30s`, `5m`, `1h`",
        );
    }
    duration
}
