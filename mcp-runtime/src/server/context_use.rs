//! Functions that are handed the context of a request.

use super::ask::{self, Retry, Start};
use super::dispatch::Call;
use super::router::{Admitted, Router};
use super::settings::Settings;
use super::{Answer, Context, Server, told};
use crate::driver::Served;
use crate::protocol::Refusal;

/// What it takes to serve handlers that are handed their context, with which they may ask, tell
/// how they get on, and outlive their call; and callers who see different tools.
///
/// Whatever registers such a function brings it along: a program that has none is linked without.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct ContextUse {
    /// Lets the context know what a retry brings from earlier rounds.
    pub(in crate::server) resume: Resume,
    /// Follows a call whose handler has begun.
    pub(in crate::server) follow: Follow,
    /// Lists the tools that one caller may see.
    pub(in crate::server) list_tools: ListTools,
}

type Resume = fn(&Server, Admitted<'_>, Retry<'_>, &Context) -> Result<(), Refusal>;
type Follow = fn(&Server, Call<'_>, Served<Answer>, Context) -> Served<Answer>;
type ListTools = fn(&Router, Admitted<'_>) -> Result<Served<Answer>, Refusal>;

impl ContextUse {
    /// Any use at all.
    pub(in crate::server) const ANY: Self = Self {
        resume: Start::resume,
        follow: |server, call, served, context| {
            told::follow(context, |context| {
                ask::follow(server, call, served, context)
            })
        },
        list_tools: Router::list_tools_for,
    };
}

impl Settings {
    /// Says that there will be handlers that are handed their context.
    pub(in crate::server) fn hand_out_contexts(&mut self) {
        self.context_use = Some(ContextUse::ANY);
    }
}
