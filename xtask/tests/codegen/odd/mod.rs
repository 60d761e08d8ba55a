//! Tests of unusual schemas.

mod decisions;
#[macro_use]
mod front;
mod import;
mod messages;
mod names;
mod structs;
