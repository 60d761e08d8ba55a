//! The servers that files of ten clients name.
#![allow(clippy::unwrap_used)]

mod faults;
mod names;
mod places;
mod sources;
mod support;
mod variables;
