//! Describes the changes between two stored revisions in plain words.
//!
//! [`model`] splits each revision into methods and other definitions, [`compare`] compares the sections
//! and [`changes`] the schemas, and [`render`] prints the changes. A change of many definitions is
//! printed once.
//!
//! A path leads from a definition to a place inside of it: `tasks.list` is a
//! field of a field, `tools[]` an item of a list, `content{}` a value of a map.

mod changes;
mod compare;
mod flat;
mod model;
mod parts;
mod render;
mod words;

pub(super) use render::{run, stored};
