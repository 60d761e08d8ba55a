//! Arguments that no parameter takes.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use mcp_types::{CallToolResult, ResultMetaObject};
use serde_json::json;

use crate::server::Reply;
use crate::sync::lock;

/// The member of `_meta` that names them.
const META: &str = "mcp-runtime/skippedArguments";
/// Most names that are kept of one call, and the longest, in characters.
const MAX_NAMES: usize = 8;
const MAX_NAME: usize = 64;

/// What becomes of arguments that no parameter takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) enum Unknown<'a> {
    Skipped,
    Refused,
    /// They are skipped as well.
    Logged(&'a SkippedArguments<'a>),
}

/// The arguments of one call that were skipped. The first call of a tool that has any is logged; in debug
/// builds, the answer names them, too.
pub(in crate::server) struct SkippedArguments<'a> {
    tool: &'a str,
    is_logged: &'a AtomicBool,
    names: Mutex<Vec<String>>,
}

impl<'a> SkippedArguments<'a> {
    pub(super) fn new(tool: &'a str, is_logged: &'a AtomicBool) -> Self {
        let names = Mutex::default();
        Self {
            tool,
            is_logged,
            names,
        }
    }

    /// Keeps the name of an argument. The tool takes those that are `known`.
    pub(super) fn skipped<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) {
        let name: String = name.chars().take(MAX_NAME).collect();
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            let tool = self.tool;
            let known = known.collect::<Vec<_>>();
            crate::log::warn!(
                tool,
                argument = name,
                nearest = nearest(&name, &known),
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

    /// The answer, which names them.
    pub(super) fn told(self, reply: Reply<CallToolResult>) -> Reply<CallToolResult> {
        let names = self
            .names
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if names.is_empty() {
            return reply;
        }
        reply.then(move |mut result| {
            let meta = result.meta.get_or_insert_with(ResultMetaObject::new);
            meta.extra.insert(META.to_owned(), json!(names));
            Ok(result)
        })
    }
}

/// The one of the `known` names that `name` most likely is a misspelling of.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distances = known.iter().map(|known| (distance(name, known), *known));
    let (distance, nearest) = distances.min()?;
    (2 * distance <= name.chars().count()).then_some(nearest)
}

/// The number of characters that must be added, removed or replaced to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for from in a.chars() {
        let mut diagonal = row[0];
        row[0] += 1;
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[row.len() - 1]
}

impl fmt::Debug for SkippedArguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkippedArguments({})", self.tool)
    }
}
