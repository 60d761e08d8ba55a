//! From the method of a request to what serves it.
//!
//! `snapshot` keeps everything that a server offers. `capabilities` says what of it is declared,
//! and `introduction` says it to clients. `methods` is the table of all methods; what serves them
//! stands beside it, kind by kind; `answers` writes what comes out.

mod admitted;
mod answers;
mod capabilities;
mod completions;
mod extensions;
mod introduction;
mod logging;
mod methods;
mod prompts;
mod resources;
mod snapshot;
mod subscriptions;
mod tools;

pub(super) use admitted::Admitted;
pub(super) use capabilities::Facts;
pub(super) use methods::BeyondTools;
pub(super) use snapshot::Router;
