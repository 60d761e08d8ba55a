//! A model in, Rust out.
//!
//! [`module`] writes the file, [`methods`] what calls tools, gets prompts and reads resources, [`structs`]
//! and [`unions`] their types.

mod methods;
pub(crate) mod module;
mod structs;
mod unions;
