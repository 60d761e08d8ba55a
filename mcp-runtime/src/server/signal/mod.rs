//! The signals by which a process is asked to end.

mod obeying;
#[cfg_attr(all(feature = "signal", unix), path = "unix.rs")]
#[cfg_attr(all(feature = "signal", not(unix)), path = "ctrl_c.rs")]
#[cfg_attr(not(feature = "signal"), path = "none.rs")]
mod platform;

pub(super) use obeying::{Obeying, one_more};
pub(super) use platform::Signals;
