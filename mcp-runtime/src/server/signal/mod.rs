//! The signals by which a process is asked to end.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "ctrl_c.rs")]
mod platform;

pub(super) use platform::Signals;
