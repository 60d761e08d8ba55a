//! Prompts: messages that a person picks to begin a conversation with.
//!
//! A [`PromptEntry`] is the entry of a prompt in the catalog. A [`PromptBuilder`] builds the entry
//! from a description of the arguments and a function, and [`IntoPromptResult`] converts the value
//! that the function returns.

mod builder;
pub(crate) mod entry;

pub use crate::server::handler::{FromText, TextArgument, TextArguments, argument, optional};
pub use builder::PromptBuilder;
pub(in crate::server) use entry::around_prompt;
pub use entry::{IntoPromptResult, PromptCall, PromptEntry};
