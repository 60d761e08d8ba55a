//! Odd schemas, and what each of them gets.

mod decisions;
mod front;
mod import;
mod names;
mod structs;
