//! The difference between two revisions: complete, and in plain words.

#![allow(clippy::unwrap_used)]

mod complete;
mod edits;
mod flatten;
mod odd;
mod phrases;
mod report;
