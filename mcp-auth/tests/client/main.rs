//! Tests of the client: logins, tokens, and signed proofs and assertions.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod discovery;
mod dpop;
mod faults;
mod faulty_store;
mod grants;
mod insecure;
mod issuers;
mod limits;
mod login;
mod logout;
mod proofs;
mod refresh;
mod registration;
mod scopes;
mod shared_login;
mod signed;
mod site;
