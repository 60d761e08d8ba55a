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

#[cfg(test)]
mod tests {
    use mcp_types::CallToolResult;

    use crate::server::tools::{ToolRoute, ToolSpec, argument};
    use crate::server::{Context, Reply, Server, ServerBuilder};

    fn plain(name: &str) -> ToolRoute {
        ToolSpec::new(name).route(|_| Ok(Reply::Ready(Ok(CallToolResult::new([])))))
    }

    /// Whether a server needs what handlers with a context take, and what is not about tools.
    fn needs(register: impl FnOnce(&mut ServerBuilder)) -> (bool, bool) {
        let mut server = Server::builder();
        server.tool(plain("plain"));
        register(&mut server);
        let server = server.build();
        let settings = server.settings();
        (
            settings.context_use.is_some(),
            settings.beyond_tools.is_some(),
        )
    }

    #[test]
    fn a_server_of_plain_tools_needs_nothing_else() {
        let nothing = needs(|server| {
            server.name("plain").tool(plain("more"));
        });
        assert_eq!(nothing, (false, false));
    }

    #[test]
    fn whatever_is_handed_a_context_brings_along_what_that_takes() {
        let closure = || {
            let spec = ToolSpec::new("closure").arguments((argument::<i64>("a"),));
            spec.call(|(a,), _| a)
        };
        let everybody = |_: &Context| true;
        let contexts = [
            needs(|server| {
                server.tool(closure());
            }),
            needs(|server| {
                server.tool(plain("shown").visible_to(everybody));
            }),
            needs(|server| {
                server.filter_tools(move |_, cx| everybody(cx));
            }),
        ];
        assert_eq!(contexts, [(true, false); 3]);
        let more = [
            needs(|server| {
                server.logging();
            }),
            needs(|server| {
                server.dynamic([crate::server::List::Tools]);
            }),
            needs(|server| {
                server.mount("inner", &Server::builder().build());
            }),
        ];
        assert_eq!(more, [(true, true); 3]);
    }
}
