//! How far a call has come (2026-07-28, "Progress").
//!
//! [`Progress`] is what a handler takes; `Reporter` decides what of it is sent, and when.

mod amount;
mod handle;
mod items;
mod reporter;
#[cfg(feature = "stream")]
mod stream;

pub use amount::{Amount, Total};
pub use handle::Progress;
pub use items::ProgressItems;
pub(super) use reporter::Reporter;
#[cfg(feature = "stream")]
pub use stream::ProgressStream;
