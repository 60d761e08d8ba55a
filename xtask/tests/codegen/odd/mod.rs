//! Odd schemas, and what each of them gets.

mod import;
mod names;
