//! The table of methods.

use mcp_types::{
    CallToolRequest, CompleteRequest, DiscoverRequest, GetPromptRequest, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PingRequest,
    ReadResourceRequest, Request, SetLevelRequest, Side, SubscribeRequest,
    SubscriptionsListenRequest, UnsubscribeRequest,
};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, not_offered};
use crate::server::Answer;

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
            GetPromptRequest::METHOD if declared.prompts.is_some() => self.get_prompt(request),
            ListPromptsRequest::METHOD if declared.prompts.is_some() => self.list_prompts(request),
            ReadResourceRequest::METHOD if declared.resources.is_some() => {
                self.read_resource(request)
            }
            ListResourcesRequest::METHOD if declared.resources.is_some() => {
                self.list_resources(request)
            }
            ListResourceTemplatesRequest::METHOD if declared.resources.is_some() => {
                self.list_resource_templates(request)
            }
            SetLevelRequest::METHOD if declared.logging.is_some() => Self::set_log_level(request),
            SubscribeRequest::METHOD if self.announced().updates => self.subscribe(request),
            SubscriptionsListenRequest::METHOD if self.announced().any() => self.listen(request),
            UnsubscribeRequest::METHOD if self.announced().updates => self.unsubscribe(request),
            CompleteRequest::METHOD if declared.completions.is_some() => self.complete(request),
            PingRequest::METHOD => Ok(Served::Now(Ok(Answer::empty()))),
            DiscoverRequest::METHOD => Ok(self.discover(request)),
            method if self.settings.extensions.has(method) => self.call_extension(request),
            method => Err(not_offered(method, Side::Server, request.terms.revision)),
        }
    }
}
