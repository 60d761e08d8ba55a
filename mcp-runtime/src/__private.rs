//! All that macro output calls. No part of the public interface: it changes without notice.

pub use std::boxed::Box;
pub use std::num::NonZeroUsize;
pub use std::ops::Bound;
pub use std::pin::Pin;
pub use std::sync::Arc;

use std::error::Error;
use std::future::Future;

use std::time::Duration;

pub use mcp_types::{CacheScope, ClientCapabilities, Revisions};
use mcp_types::{Icon, Implementation};
use tokio::runtime::Builder;

pub use crate::server::ask::form_field::{FormChoice, FormField, form_field};
pub use crate::server::completions::completer;
pub use crate::server::handler::pass::Pass;
pub use crate::server::handler::run::{blocking, pending, ready};
pub use crate::server::handler::text::Text;
pub use crate::server::prompts::PromptRoute;
pub use crate::server::prompts::PromptSpec;
pub use crate::server::prompts::result::form as prompt_form;
pub use crate::server::resources::ResourceRoute;
pub use crate::server::resources::contents::form as resource_form;
pub use crate::server::resources::spec::resource_spec;
pub use crate::server::revisions::revisions;
pub use crate::server::tools::ToolRoute;
pub use crate::server::tools::argument::argument;
pub use crate::server::tools::forms::Returned;
pub use crate::server::tools::spec::ToolSpec;
pub use crate::server::tools::spread::spread;
pub use crate::server::{
    IntoHookResult, IntoIcon, List, McpServer, OfferedPrompt, OfferedResource, OfferedTool,
    ServerBuilder,
};

/// The traits that choose how a return type becomes a result, to be imported together.
pub mod forms {
    pub use crate::server::handler::pass::Now as _;
    pub use crate::server::handler::text::PlainText as _;
    pub use crate::server::tools::forms::{
        NoForm as _, OwnForm as _, Plain as _, StructuredForm as _,
    };
}

/// What a server says it is.
pub fn implementation(name: impl Into<String>, version: impl Into<String>) -> Implementation {
    Implementation::new(name, version)
}

/// Pictures of a server, given as icons or as their URLs.
pub fn icons<I: IntoIcon>(icons: impl IntoIterator<Item = I>) -> impl Iterator<Item = Icon> {
    icons.into_iter().map(I::into_icon)
}

/// How many items a page has. Macro output calls it while the program is compiled.
///
/// # Panics
///
/// When it has none.
#[must_use]
pub const fn page_size(items: usize) -> NonZeroUsize {
    match NonZeroUsize::new(items) {
        Some(items) => items,
        None => panic!("a page has at least one item"),
    }
}

/// What a hook has returned.
///
/// # Errors
///
/// When it is one.
pub fn outcome<T: IntoHookResult>(returned: T) -> Result<(), Box<dyn Error + Send + Sync>> {
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
