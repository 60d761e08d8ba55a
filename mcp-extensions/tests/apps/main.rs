//! Tests of tools with pages, on servers and in hosts.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod declared;
mod hostile;
mod lists;
mod pages;
mod policies;
mod registration;
mod stranger;
