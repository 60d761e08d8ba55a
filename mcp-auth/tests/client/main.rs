//! Clients: what they sign.

#![allow(clippy::unwrap_used)]

mod signed;
