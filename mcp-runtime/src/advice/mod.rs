//! Advice for the people who write servers, beside what a server needs to work.
//!
//! Each part is called from one line of the code that it is about, and could be removed with it.
//! Parts that cost time are for debug builds only.

mod links;
pub mod main_error;
mod warnings;

pub use links::without_links;
pub(crate) use warnings::{
    HeldThread, SkippedArguments, Warnings, check_output, check_tool_name, warn_of_null,
};
