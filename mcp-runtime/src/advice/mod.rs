//! Advice for the people who write servers, beside what a server needs to work.
//!
//! Each part is called from one line of the code that it is about, and could be removed with it.
//! Parts that cost time are for debug builds only.

mod held_thread;
mod links;
pub mod main_error;
mod output;
mod skipped_arguments;
mod warnings;

pub(crate) use held_thread::HeldThread;
pub use links::without_links;
pub(crate) use output::check_output;
pub(crate) use skipped_arguments::SkippedArguments;
pub(crate) use warnings::{Warnings, check_tool_name, warn_of_null};
