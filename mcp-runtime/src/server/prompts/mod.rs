//! Prompts: texts that a person picks to begin a session with.
//!
//! A [`PromptEntry`] is the entry of a prompt in the catalogue; [`PromptBuilder`] builds one from a
//! description of its arguments, and [`IntoPromptResult`] makes the answer of what the function
//! returned.

mod builder;
pub(crate) mod entry;

pub use crate::server::handler::{FromText, TextArgument, TextArguments, argument, optional};
pub use builder::PromptBuilder;
pub(in crate::server) use entry::around_prompt;
pub use entry::{IntoPromptResult, PromptCall, PromptEntry};
