//! The one model in, Rust out.
//!
//! [`types`] has typify print the structs, [`structs`] completes them, and [`constructors`] adds
//! constructors and setters. [`enums`], [`unions`] (with [`decoding`] and [`best_match`]) and
//! [`dispatch`] write the rest, with [`docs`] at each item and [`rust`] for its types. [`listing`]
//! writes data of tests, and [`output`] the files.

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
