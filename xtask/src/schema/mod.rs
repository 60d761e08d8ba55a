//! The published protocol schemas: brought in ([`import`], [`fetch`]),
//! reduced to their structure ([`normalize`]), recorded ([`sources`]) and
//! compared ([`diff`]).

mod command;
mod diff;
mod error;
mod fetch;
mod import;
mod normalize;
mod sources;
mod unique_keys;

pub(crate) use command::{Command, run};
