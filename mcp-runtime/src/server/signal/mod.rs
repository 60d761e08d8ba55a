//! The signals by which a process is asked to end.

mod obeying;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "ctrl_c.rs")]
mod platform;

pub(super) use obeying::{Obeying, one_more};
pub(super) use platform::Signals;
