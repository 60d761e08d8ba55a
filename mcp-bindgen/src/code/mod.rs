//! Helpers to generate Rust code.
//!
//! [`names`] converts names to identifiers, [`docs`] generates doc attributes, [`open_enum`]
//! generates enums of strings, [`constructors`] generates setters and the parameters of
//! constructors, and [`output`] formats and writes files. With the feature `printer`, `printer`
//! prints structs with typify.

pub mod constructors;
pub mod docs;
pub mod names;
pub mod open_enum;
pub mod output;
#[cfg(feature = "printer")]
pub mod printer;
