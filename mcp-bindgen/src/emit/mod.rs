//! A model in, Rust out.
//!
//! [`module`] writes the file and the methods of the server's type, [`structs`] and [`unions`] the types
//! of tools, and [`text_entries`] prompts and resource templates, whose arguments are text.

pub(crate) mod module;
mod structs;
mod text_entries;
mod unions;
