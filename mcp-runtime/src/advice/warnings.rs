//! Warnings about mistakes of handlers that do not make a request fail. Most are logged once per
//! server.

use std::collections::HashSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use mcp_types::{CallToolResult, RawJson, ReadResourceResult, ResourceContents, ResultMetaObject};
use serde::de::IgnoredAny;
use serde_json::json;

use crate::ProtocolError;
use crate::connection::BoxFuture;
use crate::error::RequestError;
use crate::limits::{LONG_HOLD, MAX_WARNINGS};
use crate::log::Once;
use crate::nearest::nearest;
#[cfg(feature = "validation")]
use crate::output_schema::check;
use crate::protocol::Change;
use crate::sync::lock;

/// Remembers which mistakes have been logged.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    changes: Mutex<HashSet<Change>>,
    /// The names and URIs of functions that have been logged.
    functions: Mutex<HashSet<String>>,
    logging: Once,
    progress: Once,
    unwanted_progress: Once,
}

impl Warnings {
    /// Logs that a handler announced `change`, which clients can't subscribe to. The number of
    /// logged resources is limited, because their URIs may come from clients.
    pub(crate) fn change(&self, change: &Change, reason: &str) {
        let mut changes = lock(&self.changes);
        let has_room = changes.len() < MAX_WARNINGS || !matches!(change, Change::Resource(_));
        if has_room && changes.insert(change.clone()) {
            drop(changes);
            crate::log::warn!(?change, "clients can't subscribe to this change: {reason}");
        }
    }

    /// Logs that a handler sends log messages although its server does not declare logging.
    pub(crate) fn logging(&self) {
        if self.logging.is_first() {
            crate::log::warn!(
                "log messages are not sent to clients: declare logging with `#[mcp_server(logging)]` \
                 or `ServerBuilder::logging`"
            );
        }
    }

    /// Logs that the handler `name` awaits something before it asks a question. That work is
    /// repeated when the client retries the call.
    pub(crate) fn repetition(&self, name: &str) {
        if self.is_first_of(name) {
            crate::log::warn!(
                name,
                "the code before the question, such as a payment, runs again in 2026-07-28: put it in `cx.once`, or \
                 make the question a parameter with `#[elicit(\"…\")]`"
            );
        }
    }

    /// Logs a resource whose text is not JSON although its MIME type is. Only debug builds parse
    /// the text.
    pub(crate) fn resource(&self, result: &ReadResourceResult) {
        if !cfg!(debug_assertions) {
            return;
        }
        for part in &result.contents {
            if let ResourceContents::Text(part) = part
                && let Some(mime_type) = part.mime_type.as_deref().filter(|it| is_json(it))
                && serde_json::from_str::<IgnoredAny>(&part.text).is_err()
                && self.is_first_of(&part.uri)
            {
                crate::log::warn!(
                    uri = part.uri,
                    mime_type,
                    "the text of a resource is not JSON, but its MIME type is: change its MIME type, or return \
                     `Json(value)`"
                );
            }
        }
    }

    /// Logs that a handler reports an amount of progress that does not increase.
    pub(crate) fn progress(&self, done: f64) {
        if self.progress.is_first() {
            crate::log::warn!(
                progress = done,
                "progress is not sent: the amount must be finite and greater than the amount reported before \
                 (this is logged once)"
            );
        }
    }

    pub(crate) fn unwanted_progress(&self) {
        if self.unwanted_progress.is_first() {
            tracing::debug!(
                "progress is not sent: the client did not request it with a `progressToken`"
            );
        }
    }

    /// Returns true if nothing has been logged about the function `name` so far, and the limit of
    /// warnings is not reached.
    fn is_first_of(&self, name: &str) -> bool {
        let mut known = lock(&self.functions);
        known.len() < MAX_WARNINGS && known.insert(name.to_owned())
    }
}

/// Logs a `null` in `json` that its type does not allow. It comes from a number that is not finite,
/// which `serde_json` writes as `null`. `find` returns the path of such a `null`; only debug builds
/// search for it.
pub(crate) fn warn_of_null(type_name: &str, json: &RawJson, find: impl FnOnce() -> Option<String>) {
    if cfg!(debug_assertions)
        && json.get().contains("null")
        && let Some(path) = find()
    {
        crate::log::warn!(
            r#type = type_name,
            path = path.trim_start_matches('.'),
            "a result has a `null` that its schema does not allow: a number that is not finite, such as \
             `NaN`, becomes `null` in JSON"
        );
    }
}

/// Logs a tool name that clients may refuse (2025-11-25, "Tools", section "Tool Names").
pub(crate) fn check_tool_name(name: &str) {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(1..=128).contains(&name.len()) || !name.bytes().all(allowed) {
        crate::log::warn!(
            name,
            "clients may refuse this tool: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`"
        );
    }
}

/// Returns true for `application/json` and types such as `application/geo+json`.
fn is_json(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

/// Measures one function, and logs the first time it blocks its thread for long.
#[derive(Debug, Default)]
pub(crate) struct HeldThread(Once);

impl HeldThread {
    /// Measures `step` of the function `name`: the function itself, or one poll of its future.
    pub(crate) fn step<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        if !cfg!(debug_assertions) {
            return step();
        }
        let start = Instant::now();
        let output = step();
        let held = start.elapsed();
        if held > LONG_HOLD && self.0.is_first() {
            crate::log::warn!(
                function = name,
                ?held,
                "a function held its thread, which could serve nothing else: mark it `blocking`, or \
                 `await` its slow operations"
            );
        }
        output
    }

    pub(crate) fn future<T: 'static>(
        self: &Arc<Self>,
        name: &str,
        mut future: BoxFuture<T>,
    ) -> BoxFuture<T> {
        if !cfg!(debug_assertions) {
            return future;
        }
        let held = Arc::clone(self);
        let name = name.to_owned();
        Box::pin(poll_fn(move |cx| {
            held.step(&name, || future.as_mut().poll(cx))
        }))
    }
}

/// Logs a result of `tool` that does not match its output schema; in debug builds the result
/// becomes an error. Only debug builds validate the content, but missing content is always logged.
pub(crate) fn check_output(
    tool: &str,
    schema: &RawJson,
    result: CallToolResult,
) -> Result<CallToolResult, ProtocolError> {
    if result.structured_content.is_none() && result.is_error != Some(true) {
        crate::log::error!(
            tool,
            "a result has no structured content, but its tool has an output schema: add it with \
             `with_structured_content`, or remove `output`"
        );
    } else if cfg!(debug_assertions)
        && let Err(reason) = check(schema, &result)
    {
        crate::log::error!(tool, reason, "a result does not match the output schema");
    } else {
        return Ok(result);
    }
    if cfg!(debug_assertions) {
        Err(RequestError::InvalidResult.to_error())
    } else {
        Ok(result)
    }
}

#[cfg(not(feature = "validation"))]
fn check(_: &RawJson, _: &CallToolResult) -> Result<(), String> {
    Ok(())
}

/// The member of `_meta` that lists skipped arguments.
const SKIPPED: &str = "mcp-runtime/skippedArguments";
/// The maximum number of names kept per call, and the maximum length of a name in characters.
const MAX_NAMES: usize = 8;
const MAX_NAME: usize = 64;

/// The skipped arguments of one call. They are logged for the first call of a tool that has any; in
/// debug builds, the result also lists them.
#[derive(Debug)]
pub(crate) struct SkippedArguments<'a> {
    tool: &'a str,
    logged: &'a Once,
    names: Mutex<Vec<String>>,
}

impl<'a> SkippedArguments<'a> {
    pub(crate) fn new(tool: &'a str, logged: &'a Once) -> Self {
        Self {
            tool,
            logged,
            names: Mutex::default(),
        }
    }

    /// Records a skipped argument. `known` are the arguments that the tool takes.
    pub(crate) fn add<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) {
        let name: String = name.chars().take(MAX_NAME).collect();
        if self.logged.is_first() {
            let known: Vec<_> = known.collect();
            crate::log::warn!(
                tool = self.tool,
                argument = name,
                nearest = nearest(&name, known.iter().copied()),
                "a call has an argument that the tool does not take: it takes {known:?}, and skips others \
                 unless it is `strict` (this is logged once)"
            );
        }
        if cfg!(debug_assertions) {
            let mut names = lock(&self.names);
            if names.len() < MAX_NAMES {
                names.push(name);
            }
        }
    }

    /// Returns a function that adds the skipped arguments to the result. Returns `None` if no
    /// argument was skipped.
    pub(crate) fn note(&self) -> Option<impl FnOnce(&mut CallToolResult) + Send + use<>> {
        let names = std::mem::take(&mut *lock(&self.names));
        (!names.is_empty()).then_some(move |result: &mut CallToolResult| {
            let meta = result.meta.get_or_insert_with(ResultMetaObject::new);
            meta.extra.insert(SKIPPED.to_owned(), json!(names));
        })
    }
}
