//! A server as a child process, spoken to over its standard streams (2026-07-28, "stdio").
//!
//! [`ChildProcess`] says what to start and how; [`Stderr`] where its messages go; [`Grace`] how
//! much time it gets to end by itself, and [`Exit`] how it did.

mod command;
mod environment;
mod exit;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_other.rs")]
mod group;
mod process;
mod stderr;

pub use command::ChildProcess;
pub use exit::{Exit, ExitStep, Grace};
pub use process::ChildWriter;
pub use stderr::{Captured, Stderr};
