//! Tests the servers in the files of ten clients.
#![allow(clippy::unwrap_used)]

mod edit;
mod faults;
mod names;
mod places;
mod sources;
mod support;
mod variables;
