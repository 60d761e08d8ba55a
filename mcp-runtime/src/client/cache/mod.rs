//! Answers that are kept for as long as the server allows (2026-07-28, "Caching").
//!
//! [`ResponseCache`] is what clients share; `entries` is the table behind it, without a clock;
//! `hints` is what an answer says about itself.

mod entries;
mod handle;
mod hints;

pub use handle::ResponseCache;
pub(super) use handle::{Cached, Kept};
