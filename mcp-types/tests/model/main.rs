//! Tests of the generated model.

#![allow(clippy::unwrap_used)]

mod availability;
mod by_serde;
mod conform;
mod wire;
