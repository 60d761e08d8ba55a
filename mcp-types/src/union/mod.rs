//! Unions, decoded by what tells their members apart.
//!
//! All of the text is there, and reading over it is cheap: a look ahead finds the tag, wherever it
//! stands, and the member's own decoder begins at the beginning. What no member fits is kept as
//! JSON.

pub(crate) mod best_match;
pub(crate) mod message;
mod object;
mod tag;

pub(crate) use object::{ByField, ByKey, by_field, by_key};
