//! Parts of general use about generating Rust.
//!
//! [`names`] makes identifiers, [`docs`] lines of documentation, [`open_enum`] enums of strings,
//! [`constructors`] the arguments of constructors and setters, and [`output`] formats and writes files.

pub mod constructors;
pub mod docs;
pub mod names;
pub mod open_enum;
pub mod output;
