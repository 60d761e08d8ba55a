//! Completions: suggestions for the argument of a prompt or resource template being typed.

pub(crate) mod completer;
mod request;

pub use completer::IntoCompletion;
pub(crate) use completer::{Completer, Completers};
pub use request::CompletionRequest;
