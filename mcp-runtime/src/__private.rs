//! Functions and types for the output of the macros. No part of the public interface: they change
//! without notice.

mod revisions;

pub use std::boxed::Box;
pub use std::num::NonZeroUsize;
pub use std::ops::Bound;
pub use std::pin::Pin;
pub use std::sync::Arc;

use std::future::Future;

use std::time::Duration;

pub use mcp_types::{CacheScope, ClientCapabilities, Revisions};
use mcp_types::{Icon, Implementation};
pub use revisions::revisions;
use tokio::runtime::Builder;

pub use crate::ProtocolError;
pub use crate::advice::{main_error, without_links};
pub use crate::server::completions::completer;
pub use crate::server::context::{identity, no_identity};
pub use crate::server::handler::run::{MaybeAsync, blocking, pending, ready};
pub use crate::server::handler::text::Text;
pub use crate::server::input::form::ElicitForm;
pub use crate::server::input::form_fields::{ElicitChoice, ElicitField, FormField};
pub use crate::server::input::parameter::{ParameterQuestions, ask, question, question_if};
pub use crate::server::layers::tool_with;
pub use crate::server::prompts::result::prompt_output;
pub use crate::server::prompts::{PromptBuilder, PromptEntry};
pub use crate::server::resources::ResourceEntry;
pub use crate::server::resources::builder::{list, resource_builder};
pub use crate::server::resources::contents::resource_output;
pub use crate::server::resources::uri::{ResourceUri, constant_uri, resource_uri};
use crate::server::serve::hooks::HookResult;
pub use crate::server::serve::serving::OneMcpServerBlockTheOthersAreGroups;
pub use crate::server::tools::ToolEntry;
pub use crate::server::tools::arguments::{Shown, argument};
pub use crate::server::tools::builder::ToolBuilder;
pub use crate::server::tools::diagnostics::{
    ArgumentCalledContext, ArgumentCalledJson, ClosureResult, OutputSchema, SharedArgument,
    WholeResult, argument_called_context, argument_called_json, shared_argument,
};
pub use crate::server::tools::returned::Returned;
pub use crate::server::{
    Borrowed, Context, FromContext, IntoHookResult, IntoIcon, IntoPrompt, IntoResource, IntoTool,
    List, McpServer, OptionalFromContext, ServerBuilder,
};
pub use crate::transport::no_http::http as http_without_feature;

/// The traits by which method lookup chooses the treatment of a type, to be imported together.
pub mod traits {
    pub use crate::server::handler::run::NotAsync as _;
    pub use crate::server::handler::text::RequiredText as _;
    pub use crate::server::input::form_fields::{
        OptionalTextField as _, OwnField as _, TextField as _,
    };
    pub use crate::server::tools::returned::{
        ContentOutput as _, FallibleContentOutput as _, FallibleJsonOutput as _, JsonOutput as _,
        NoOutput as _, OwnOutput as _,
    };
}

/// A type whose values are made of text in an attribute, such as `default = "ten"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of a text",
    label = "is a text",
    note = "write a value of the type without quotation marks, such as `10`, `Unit::Metric` or `Place::new(\"ten\")`; for an `Option`, `Some(\"ten\".into())`"
)]
pub trait FromLiteral: Sized {
    /// Makes the value.
    fn from_literal(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromLiteral for T {
    fn from_literal(text: &'static str) -> Self {
        Self::from(text)
    }
}

/// A value that is made of text in an attribute.
pub fn from_text<T: FromLiteral>(text: &'static str) -> T {
    T::from_literal(text)
}

/// The name and version of a server.
pub fn implementation(name: impl Into<String>, version: impl Into<String>) -> Implementation {
    Implementation::new(name, version)
}

/// Pictures of a server, given as icons or as their URLs.
pub fn icons<I: IntoIcon>(icons: impl IntoIterator<Item = I>) -> impl Iterator<Item = Icon> {
    icons.into_iter().map(I::into_icon)
}

/// The number of items of a page. Macro output calls it while the program is compiled.
///
/// # Panics
///
/// With zero items.
#[must_use]
pub const fn page_size(items: usize) -> NonZeroUsize {
    match NonZeroUsize::new(items) {
        Some(items) => items,
        None => panic!("a page has at least one item"),
    }
}

/// The outcome of a hook.
///
/// # Errors
///
/// When the hook has returned one.
pub fn outcome<T: IntoHookResult>(returned: T) -> HookResult {
    returned.into_hook_result()
}

/// A length of time.
#[must_use]
pub const fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// Runs `future` to its end on this thread.
///
/// # Panics
///
/// When the operating system refuses the means to wait for events.
pub fn block_on<F: Future>(future: F) -> F::Output {
    match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(future),
        Err(error) => panic!("the async runtime can't start: {error}"),
    }
}
