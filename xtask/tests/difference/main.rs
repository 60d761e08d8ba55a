//! Tests of the report about the differences between two revisions.

#![allow(clippy::unwrap_used)]

mod complete;
mod edits;
mod flatten;
mod odd;
mod phrases;
mod report;
