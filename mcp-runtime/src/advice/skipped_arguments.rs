//! Arguments that no parameter takes.

use std::sync::Mutex;

use mcp_types::{CallToolResult, ResultMetaObject};
use serde_json::json;

use crate::log::Once;
use crate::nearest::nearest;
use crate::sync::lock;

/// The member of `_meta` that names them.
const META: &str = "mcp-runtime/skippedArguments";
/// Most names that are kept of one call, and the longest, in characters.
const MAX_NAMES: usize = 8;
const MAX_NAME: usize = 64;

/// The arguments of one call that were skipped. The first call of a tool that has any is logged; in debug
/// builds, the result names them, too.
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

    /// Keeps the name of an argument. The tool takes those that are `known`.
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

    /// Names the arguments in the result; `None` if there is nothing to name.
    pub(crate) fn note(&self) -> Option<impl FnOnce(&mut CallToolResult) + Send + use<>> {
        let names = std::mem::take(&mut *lock(&self.names));
        (!names.is_empty()).then_some(move |result: &mut CallToolResult| {
            let meta = result.meta.get_or_insert_with(ResultMetaObject::new);
            meta.extra.insert(META.to_owned(), json!(names));
        })
    }
}
