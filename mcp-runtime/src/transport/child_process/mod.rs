//! A server as a child process, spoken to over its standard streams (2026-07-28, "stdio").
//!
//! [`ChildProcess`] says what to start and how; [`Stderr`] where its messages go; [`Grace`] how
//! much time it gets to end by itself, and [`Exit`] how it did.

mod command;
mod environment;
mod exit;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(windows, path = "group_windows.rs")]
#[cfg_attr(not(any(unix, windows)), path = "group_other.rs")]
mod group;
mod process;
#[cfg_attr(windows, path = "program_windows.rs")]
mod program;
mod reader;
mod stderr;

pub use command::ChildProcess;
pub use exit::{Exit, ExitStep, Grace};
pub use process::ChildWriter;
pub use reader::ChildReader;
pub use stderr::{Captured, Stderr};
