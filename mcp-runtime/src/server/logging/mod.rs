//! Log messages for clients (2025-11-25 and 2026-07-28, "Logging").

mod context;
mod logger;
mod severity;

pub use logger::Logger;
pub(super) use severity::{Severity, Threshold};
