//! Log messages for clients (2025-11-25 and 2026-07-28, "Logging").

mod context;
#[cfg(feature = "log-layer")]
mod layer;
#[cfg(not(feature = "log-layer"))]
#[path = "no_layer.rs"]
mod layer;
mod logger;
mod severity;

pub(super) use layer::attach;
#[cfg(feature = "log-layer")]
pub use layer::client_logs;
pub use logger::Logger;
#[cfg(feature = "http-server")]
pub(super) use severity::LEVELS;
pub(super) use severity::{Severity, Threshold};
