//! Servers within servers.
//!
//! A mounted server keeps what it has; the one that mounts it has routes that lead there, under
//! names and URIs with a prefix (`namespace`). `mounted` makes them, and makes them again when the
//! mounted server changes; `links` gives the URIs in results their prefix. What holds for a server
//! as a whole is joined once, when the outer one is built (`contribution`).

mod contribution;
mod links;
mod mounted;
mod namespace;

pub(super) use contribution::{add_routes, join_settings};
pub(super) use links::Links;
pub(super) use mounted::{Mount, Relays};
pub(super) use namespace::Namespace;
