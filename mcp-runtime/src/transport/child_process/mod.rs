//! Servers as child processes, connected by their standard streams (2026-07-28, "stdio").
//!
//! [`ChildProcess`] is the command to start, [`Stderr`] the destination of its messages, [`Grace`]
//! the time it gets to end by itself, and [`Exit`] its end.

mod command;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
mod process;
mod stderr;

pub use command::{ChildProcess, Exit, ExitStep, Grace};
pub use stderr::{Captured, OnLine, Stderr};
