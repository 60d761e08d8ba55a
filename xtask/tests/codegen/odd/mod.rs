//! Odd schemas, and what each of them gets.

mod decisions;
mod import;
mod names;
