//! Functions and types for the output of the macros. They are not part of the public API, and
//! change without notice.

pub use std::boxed::Box;
pub use std::num::NonZeroUsize;
pub use std::ops::Bound;
pub use std::pin::Pin;
pub use std::sync::Arc;

use std::future::Future;
use std::time::Duration;

pub use mcp_types::{CacheScope, ClientCapabilities, Revisions};
use mcp_types::{Icon, Implementation, Revision};
use tokio::runtime::Builder;

pub use crate::ProtocolError;
pub use crate::advice::{main_error, without_links};
pub use crate::server::completions::completer;
pub use crate::server::context::{identity, no_identity};
pub use crate::server::handler::{MaybeAsync, Text, blocking, pending, ready};
pub use crate::server::input::elicit::{ParameterQuestions, ask, question, question_if};
pub use crate::server::input::form::ElicitForm;
pub use crate::server::input::form_fields::{ElicitChoice, ElicitField, FormField};
pub use crate::server::layers::tool_with;
pub use crate::server::prompts::entry::prompt_output;
pub use crate::server::prompts::{PromptBuilder, PromptEntry};
pub use crate::server::resources::ResourceEntry;
pub use crate::server::resources::builder::{list, resource_builder};
pub use crate::server::resources::contents::resource_output;
pub use crate::server::resources::uri::{ResourceUri, constant_uri, resource_uri};
use crate::server::serve::hooks::HookResult;
pub use crate::server::serve::serving::OneMcpServerBlockTheOthersAreGroups;
pub use crate::server::tools::ToolEntry;
pub use crate::server::tools::arguments::{SchemaValue, argument};
pub use crate::server::tools::builder::ToolBuilder;
pub use crate::server::tools::diagnostics::{
    ArgumentCalledContext, ArgumentCalledJson, ClosureResult, OutputSchema, SharedArgument,
    WholeResult, argument_called_context, argument_called_json, shared_argument,
};
pub use crate::server::tools::returned::Returned;
pub use crate::server::{
    Context, ContextValue, FromContext, IntoHookResult, IntoIcon, IntoPrompt, IntoResource,
    IntoTool, List, McpServer, OptionalFromContext, ServerBuilder,
};
pub use crate::transport::no_http::http as http_without_feature;

/// The traits that method lookup uses to choose how to treat a type. Macro output imports them all.
pub mod traits {
    pub use crate::server::handler::{NotAsync as _, RequiredText as _};
    pub use crate::server::input::form_fields::{
        OptionalTextField as _, OwnField as _, TextField as _,
    };
    pub use crate::server::tools::returned::{
        ContentOutput as _, FallibleContentOutput as _, FallibleJsonOutput as _, JsonOutput as _,
        NoOutput as _, OwnOutput as _,
    };
}

/// A type whose values can be made from a string in an attribute, such as `default = "ten"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from a string",
    label = "this is a string",
    note = "write a value of the type without quotation marks, such as `10`, `Unit::Metric` or `Place::new(\"ten\")`; for an `Option`, `Some(\"ten\".into())`"
)]
pub trait FromLiteral: Sized {
    /// Converts the string.
    fn from_literal(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromLiteral for T {
    fn from_literal(text: &'static str) -> Self {
        Self::from(text)
    }
}

/// Makes a value from a string in an attribute.
pub fn from_text<T: FromLiteral>(text: &'static str) -> T {
    T::from_literal(text)
}

/// Returns the name and version of a server.
pub fn implementation(name: impl Into<String>, version: impl Into<String>) -> Implementation {
    Implementation::new(name, version)
}

/// Converts the icons of a server, which may be given as URLs.
pub fn icons<I: IntoIcon>(icons: impl IntoIterator<Item = I>) -> impl Iterator<Item = Icon> {
    icons.into_iter().map(I::into_icon)
}

/// Checks the number of items per page. Macro output calls this at compile time.
///
/// # Panics
///
/// When the number is zero.
#[must_use]
pub const fn page_size(items: usize) -> NonZeroUsize {
    match NonZeroUsize::new(items) {
        Some(items) => items,
        None => panic!("a page has at least one item"),
    }
}

/// Converts the value that a hook returned.
///
/// # Errors
///
/// When the hook returned an error.
pub fn outcome<T: IntoHookResult>(returned: T) -> HookResult {
    returned.into_hook_result()
}

/// Returns a duration of `number` milliseconds.
#[must_use]
pub const fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// Runs `future` to completion on this thread.
///
/// # Panics
///
/// When the async runtime can't be created.
pub fn block_on<F: Future>(future: F) -> F::Output {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(future),
        Err(error) => panic!("the async runtime can't start: {error}"),
    }
}

/// Parses a set of revisions in an attribute: `2025-06-18..`, `..=2025-11-25`,
/// `2025-03-26..=2025-11-25` or a single revision. Called at compile time.
///
/// # Panics
///
/// When the text does not have one of these forms, or the set is empty.
#[must_use]
pub const fn revisions(text: &str) -> Revisions {
    let text = text.as_bytes();
    let mut dots = 0;
    while dots + 1 < text.len() && !(text[dots] == b'.' && text[dots + 1] == b'.') {
        dots += 1;
    }
    if dots + 1 >= text.len() {
        return Revisions::only(revision(text));
    }
    let (oldest, newest) = text.split_at(dots);
    let mut set = Revisions::ALL;
    if !oldest.is_empty() {
        set = set.from(revision(oldest));
    }
    if let [_, _, newest @ ..] = newest
        && let [sign, newest @ ..] = newest
    {
        assert!(*sign == b'=', "write `..=` before the newest revision");
        set = set.up_to(revision(newest));
    }
    assert!(!set.is_empty(), "the range has no revision in it");
    set
}

const fn revision(name: &[u8]) -> Revision {
    let mut index = 0;
    while index < Revision::ALL.len() {
        let known = Revision::ALL[index].as_str().as_bytes();
        let mut same = 0;
        while same < name.len() && same < known.len() && name[same] == known[same] {
            same += 1;
        }
        if same == name.len() && same == known.len() {
            return Revision::ALL[index];
        }
        index += 1;
    }
    panic!("there is no revision of this date: see `mcp_runtime::Revision`")
}

#[cfg(test)]
mod tests {
    use mcp_types::Revision;

    use super::revisions;

    #[track_caller]
    fn check(text: &str, oldest: &str, newest: &str) {
        let set = revisions(text);
        assert_eq!(set.since().map(Revision::as_str), Some(oldest));
        let last = set.iter().next_back();
        assert_eq!(last.map(Revision::as_str), Some(newest));
    }

    #[test]
    fn ranges_have_two_ends_one_or_are_a_date() {
        let latest = Revision::ALL.last().unwrap().as_str();
        check("2025-06-18..", "2025-06-18", latest);
        check("..=2025-03-26", "2024-11-05", "2025-03-26");
        check("2025-03-26..=2025-11-25", "2025-03-26", "2025-11-25");
        check("2025-06-18", "2025-06-18", "2025-06-18");
    }
}
