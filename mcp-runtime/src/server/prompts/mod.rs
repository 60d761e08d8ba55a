//! Prompts: texts that a person picks to begin a session with.
//!
//! A [`PromptRoute`] is what the router keeps of a prompt; `spec` builds one from a description of
//! its arguments, and [`IntoPromptResult`] makes the answer of what the function returned.

mod closure;
mod mounted;
pub(crate) mod result;
mod route;
pub(crate) mod spec;
mod table;

pub use crate::server::handler::text::{FromText, TextArgument, argument, optional};
pub use crate::server::handler::tuple::TextArguments;
pub use closure::PromptClosure;
pub use result::IntoPromptResult;
pub use route::{PromptCall, PromptRoute};
pub use spec::PromptSpec;
pub(super) use table::Prompts;
