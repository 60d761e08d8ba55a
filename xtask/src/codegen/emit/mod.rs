//! Emits Rust code for the merged model.
//!
//! [`types`] lets typify print the structs, [`structs`] completes them, and [`constructors`] adds
//! constructors and setters. [`enums`], [`unions`] (with [`decoding`] and [`best_match`]) and
//! [`dispatch`] emit the other items, [`docs`] their documentation, and [`rust`] the types of fields.
//! [`listing`] emits data for tests, and [`output`] writes the files.

pub(super) mod best_match;
pub(super) mod constructors;
pub(super) mod decoding;
pub(super) mod dispatch;
pub(super) mod docs;
pub(super) mod enums;
pub(super) mod listing;
pub(super) mod output;
pub(super) mod rust;
pub(super) mod structs;
pub(super) mod types;
pub(super) mod unions;
