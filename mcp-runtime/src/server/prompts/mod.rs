//! Prompts: texts that a person picks to begin a session with.
//!
//! A [`PromptRoute`] is the entry of a prompt in the catalogue; [`PromptSpec`] builds one from a
//! description of its arguments, and [`IntoPromptResult`] makes the answer of what the function
//! returned.

pub(crate) mod route;

pub use crate::server::handler::text::{FromText, TextArgument, TextArguments, argument, optional};
pub use route::IntoPromptResult;
pub use route::{PromptCall, PromptClosure, PromptRoute, PromptSpec};
