//! Tests the client side of skills with servers that follow a script, most of them hostile.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod contents;
mod directories;
mod entries;
mod large;
mod lists;
mod offers;
mod ordinary;
mod references;
mod scripted;
