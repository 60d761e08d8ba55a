//! Odd schemas, and what each of them gets.

mod decisions;
#[macro_use]
mod front;
mod import;
mod messages;
mod names;
mod structs;
