//! The generated model: what it is on the wire, and what revisions make of it.

#![allow(clippy::unwrap_used)]

mod availability;
mod by_serde;
mod conform;
mod wire;
