//! Changes between two stored revisions, in plain words: split each into methods and other definitions ([`model`]),
//! compare these section by section ([`compare`]) and schema by schema
//! ([`changes`]), name what many of them share once, and print
//! ([`render`]).
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
