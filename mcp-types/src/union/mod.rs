//! Unions decoded while they are read.
//!
//! Keys are read until the one that tells the members apart; only what came
//! before it is held back, and then replayed to the member's own decoder. What
//! no member fits is kept as JSON.

pub(crate) mod best_match;
pub(crate) mod message;
mod object;
mod replay;

pub(crate) use object::{ByField, ByKey, by_field, by_key};
pub(crate) use replay::Key;
