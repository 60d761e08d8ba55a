//! Handlers that are handed their context.

use super::ask::{self, Retry, Start};
use super::dispatch::Call;
use super::router::Admitted;
use super::settings::Settings;
use super::{Answer, Context, Server, told};
use crate::driver::Served;
use crate::protocol::Refusal;

/// What it takes to serve handlers that are handed their context, with which they may ask, tell
/// how they get on, and outlive their call.
///
/// Whatever registers such a handler brings it along: a program that has none is linked without.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct ContextUse {
    /// Lets the context know what a retry brings from earlier rounds.
    pub(in crate::server) resume: Resume,
    /// Follows a call whose handler has begun.
    pub(in crate::server) follow: Follow,
}

type Resume = fn(&Server, Admitted<'_>, Retry<'_>, &Context) -> Result<(), Refusal>;
type Follow = fn(&Server, Call<'_>, Served<Answer>, Context) -> Served<Answer>;

impl ContextUse {
    /// Any use at all.
    pub(in crate::server) const ANY: Self = Self {
        resume: Start::resume,
        follow: |server, call, served, context| {
            told::follow(context, |context| {
                ask::follow(server, call, served, context)
            })
        },
    };
}

impl Settings {
    /// Says that there will be handlers that are handed their context.
    pub(in crate::server) fn hand_out_contexts(&mut self) {
        self.context_use = Some(ContextUse::ANY);
    }
}
