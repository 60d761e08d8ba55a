//! The published protocol schemas: brought in ([`import`], [`fetch`]),
//! reduced to their structure ([`normalize`]), recorded ([`sources`]) and
//! compared ([`diff`]); [`adopt`] does all of it, up to generated types that compile.

mod adopt;
mod command;
mod diff;
mod fetch;
mod import;
mod normalize;
mod sources;
mod unique_keys;

pub(crate) use command::{Command, run};
