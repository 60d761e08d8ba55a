//! The tests that the page docs/testing.md shows.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod call;
mod caller;
mod form;
mod recording;
mod replay;
mod time_limit;
