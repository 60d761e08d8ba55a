//! Diagnostics for the people who write servers. No server depends on them to work.
//!
//! Each diagnostic is called from a single line of the code it is about, so removing it is easy.
//! Diagnostics that cost time run only in debug builds.

mod links;
pub mod main_error;
mod warnings;

pub use links::without_links;
pub(crate) use warnings::{
    HeldThread, SkippedArguments, Warnings, check_output, check_tool_name, warn_of_null,
};
