//! Generates Rust code from a model.
//!
//! [`module`] generates the file, [`methods`] the methods for tools, prompts and resources, and
//! [`structs`] and [`unions`] their types.

mod methods;
pub(crate) mod module;
mod structs;
mod unions;
