//! Servers as child processes, connected through their standard streams (2026-07-28, "stdio").
//!
//! [`ChildProcess`] is the command to start. [`Stderr`] says where its standard error goes,
//! [`Grace`] how much time it gets to exit, and [`Exit`] how it ended.

mod command;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
mod process;
mod stderr;

pub use command::{ChildProcess, Exit, ExitStep, Grace};
pub use stderr::{Captured, OnLine, Stderr};
