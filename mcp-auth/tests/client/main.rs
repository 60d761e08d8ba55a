//! Clients: logins, tokens, and what they sign.

#![allow(clippy::unwrap_used)]

mod login;
mod signed;
mod site;
