//! The published protocol schemas: brought in ([`import`], [`fetch`]),
//! reduced to their structure ([`normalize`]) and recorded ([`sources`]).

mod command;
mod error;
mod fetch;
mod import;
mod normalize;
mod sources;

pub(crate) use command::{Command, run};
