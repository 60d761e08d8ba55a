//! The table of methods.

use mcp_types::{
    CallToolRequest, CompleteRequest, DiscoverRequest, GetPromptRequest, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PingRequest,
    ReadResourceRequest, Request, SetLevelRequest, Side, SubscribeRequest,
    SubscriptionsListenRequest, UnsubscribeRequest,
};

use super::{Admitted, Router};
use crate::driver::{Peer, Served};
use crate::protocol::{Refusal, not_offered};
use crate::server::beyond::{Offer, Tables, offer};
use crate::server::settings::Settings;
use crate::server::{Answer, Conversation};

impl Router {
    /// Serves a request that the lifecycle has admitted.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or the server does not offer what is asked for.
    pub(in crate::server) fn serve(
        &self,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let declared = &self.capabilities;
        match request.method {
            CallToolRequest::METHOD if declared.tools.is_some() => self.call_tool(request),
            ListToolsRequest::METHOD if declared.tools.is_some() => self.list_tools(request),
            PingRequest::METHOD => Ok(Served::Now(Ok(Answer::empty()))),
            DiscoverRequest::METHOD => Ok(self.discover(request)),
            _ => match &self.settings.beyond_tools {
                Some(beyond) => (beyond.serve)(self, request),
                None => Err(not_offered_by_us(request)),
            },
        }
    }

    /// Serves a request of the methods that servers of tools alone do not have.
    fn serve_beyond_tools(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let Some(Tables { prompts, resources }) = self.tables() else {
            return Err(not_offered_by_us(request));
        };
        let declared = &self.capabilities;
        match request.method {
            GetPromptRequest::METHOD if declared.prompts.is_some() => {
                self.get_prompt(prompts, request)
            }
            ListPromptsRequest::METHOD if declared.prompts.is_some() => {
                self.list_prompts(prompts, request)
            }
            ReadResourceRequest::METHOD if declared.resources.is_some() => {
                self.read_resource(resources, request)
            }
            ListResourcesRequest::METHOD if declared.resources.is_some() => {
                self.list_resources(resources, request)
            }
            ListResourceTemplatesRequest::METHOD if declared.resources.is_some() => {
                self.list_resource_templates(resources, request)
            }
            SubscribeRequest::METHOD if self.announced().updates => {
                self.subscribe(resources, request)
            }
            SubscriptionsListenRequest::METHOD if self.announced().any() => {
                self.listen(resources, request)
            }
            UnsubscribeRequest::METHOD if self.announced().updates => {
                Self::unsubscribe(resources, request)
            }
            CompleteRequest::METHOD if declared.completions.is_some() => {
                self.complete(prompts, resources, request)
            }
            SetLevelRequest::METHOD if declared.logging.is_some() => Self::set_log_level(request),
            method if self.settings.extensions.has(method) => self.call_extension(request),
            _ => Err(not_offered_by_us(request)),
        }
    }
}

fn not_offered_by_us(request: Admitted<'_>) -> Refusal {
    not_offered(request.method, Side::Server, request.terms.revision)
}

/// What servers of tools alone, which never change, do not need.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct BeyondTools {
    /// What a server offers of it, after changes to what it offered before.
    pub(super) offer: Offer,
    /// Serves the methods that they do not have.
    serve: fn(&Router, Admitted<'_>) -> Result<Served<Answer>, Refusal>,
    /// Begins to tell a client what changes.
    pub(in crate::server) tell: fn(&Conversation, Peer),
}

impl Settings {
    /// Says that there will be more than tools that never change. A program that never does is linked
    /// without what serves it.
    pub(in crate::server) fn go_beyond_tools(&mut self) {
        self.hand_out_contexts();
        self.beyond_tools = Some(BeyondTools {
            offer,
            serve: Router::serve_beyond_tools,
            tell: Conversation::tell_changes,
        });
    }
}
