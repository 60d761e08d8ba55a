//! Parts of general use about generating Rust.
//!
//! [`names`] makes identifiers, [`docs`] lines of documentation, [`open_enum`] enums of strings,
//! [`constructors`] the arguments of constructors and setters, and [`output`] formats and writes files. With
//! the feature `printer`, `printer` has typify print structs.

pub mod constructors;
pub mod docs;
pub mod names;
pub mod open_enum;
pub mod output;
#[cfg(feature = "printer")]
pub mod printer;
