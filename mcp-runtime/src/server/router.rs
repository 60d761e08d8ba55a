//! From the method of a request to what serves it.

use std::sync::Arc;

use mcp_types::{
    CallToolRequest, CompleteRequest, CompleteRequestParams, CompletionReference, Conform,
    DiscoverRequest, DiscoverResult, ErrorObject, GetPromptRequest, InitializeResult, JsonObject,
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, PingRequest, RawJson, ReadResourceRequest, Request, RequestId,
    Revision, Revisions, ServerCapabilities, ServerCapabilitiesPrompts,
    ServerCapabilitiesResources, ServerCapabilitiesTools, Side,
};
use serde_json::value::RawValue;

use super::answer::{Answer, Identity};
use super::builder::ServerBuilder;
use super::prepared::Prepared;
use super::prompts::Prompts;
use super::resources::{Listing, Resources};
use super::tools::Tools;
use super::{Context, Reply};
use crate::driver::{Peer, Served};
use crate::protocol::{Refusal, Terms, decode_params, not_offered};

/// Everything a server offers. Built once, shared by all connections, never changed.
#[derive(Debug)]
pub(super) struct Router {
    identity: Arc<Identity>,
    declared: Declared,
    capabilities: ServerCapabilities,
    tools: Tools,
    prompts: Prompts,
    resources: Resources,
    discover: Prepared,
}

/// What the server says of itself.
#[derive(Debug)]
struct Declared {
    info: mcp_types::Implementation,
    instructions: Option<String>,
    revisions: Revisions,
}

/// One request, as far as the lifecycle admitted it.
#[derive(Clone, Copy)]
pub(super) struct Admitted<'a> {
    pub(super) id: &'a RequestId,
    pub(super) method: &'a str,
    pub(super) params: Option<&'a RawValue>,
    pub(super) terms: &'a Arc<Terms>,
    pub(super) peer: &'a Peer,
}

impl Router {
    pub(super) fn new(builder: ServerBuilder) -> Self {
        let tools = Tools::new(builder.tools, builder.caching.clone());
        let mut capabilities = ServerCapabilities::default();
        if !tools.is_empty() {
            capabilities.tools = Some(ServerCapabilitiesTools::default());
        }
        let prompts = Prompts::new(builder.prompts, builder.caching.clone());
        if !prompts.is_empty() {
            capabilities.prompts = Some(ServerCapabilitiesPrompts::default());
        }
        let resources = Resources::new(builder.resources, builder.caching);
        if !resources.is_empty() {
            capabilities.resources = Some(ServerCapabilitiesResources::default());
        }
        if prompts.has_completers() || resources.has_completers() {
            capabilities.completions = Some(JsonObject::new());
        }
        Self {
            identity: Arc::new(Identity::new(&builder.info)),
            declared: Declared {
                info: builder.info,
                instructions: builder.instructions,
                revisions: builder.revisions,
            },
            capabilities,
            tools,
            prompts,
            resources,
            discover: Prepared::default(),
        }
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &mcp_types::Tool> {
        self.tools.iter()
    }

    pub(super) fn revisions(&self) -> Revisions {
        self.declared.revisions
    }

    /// Serves a request that the lifecycle has admitted.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or the server does not offer what is asked for.
    pub(super) fn serve(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let terms = request.terms;
        let answer = match request.method {
            CallToolRequest::METHOD if !self.tools.is_empty() => return self.call_tool(request),
            ListToolsRequest::METHOD if !self.tools.is_empty() => {
                refuse_cursor(request.params)?;
                self.prepared(self.tools.list(terms.revision), terms)
            }
            GetPromptRequest::METHOD if !self.prompts.is_empty() => {
                let reply = self.prompts.get(request.params, request.context())?;
                return Ok(self.written(reply, terms));
            }
            ListPromptsRequest::METHOD if !self.prompts.is_empty() => {
                refuse_cursor(request.params)?;
                self.prepared(self.prompts.list(terms.revision), terms)
            }
            ReadResourceRequest::METHOD if !self.resources.is_empty() => {
                let revision = terms.revision;
                let reply = self
                    .resources
                    .read(request.params, revision, request.context())?;
                return Ok(self.written(reply, terms));
            }
            ListResourcesRequest::METHOD if !self.resources.is_empty() => {
                refuse_cursor(request.params)?;
                match self.resources.list(terms.revision) {
                    Listing::Prepared(list) => self.prepared(list, terms),
                    Listing::Made(list) => {
                        let reply = Reply::Pending(Box::pin(async { Ok(list.await) }));
                        return Ok(self.written(reply, terms));
                    }
                }
            }
            ListResourceTemplatesRequest::METHOD if !self.resources.is_empty() => {
                refuse_cursor(request.params)?;
                self.prepared(self.resources.templates(terms.revision), terms)
            }
            CompleteRequest::METHOD if self.capabilities.completions.is_some() => {
                return self.complete(request);
            }
            PingRequest::METHOD => Answer::empty(),
            DiscoverRequest::METHOD => {
                let discover = self.discover.get(terms.revision, || self.discover_result());
                self.prepared(discover, terms)
            }
            method => {
                return Err(not_offered(method, Side::Server, terms.revision));
            }
        };
        Ok(Served::Now(Ok(answer)))
    }

    fn prepared(&self, json: Arc<RawJson>, terms: &Terms) -> Answer {
        Answer::prepared(json, terms, &self.identity)
    }

    /// The answer to a handshake that settled on `terms`.
    pub(super) fn initialize(&self, terms: &Terms) -> Answer {
        let result = InitializeResult::new(
            terms.revision.as_str(),
            self.capabilities.clone(),
            self.declared.info.clone(),
        );
        let result = match &self.declared.instructions {
            Some(instructions) => result.with_instructions(instructions),
            None => result,
        };
        Answer::once(result, terms.revision)
    }

    fn discover_result(&self) -> DiscoverResult {
        let versions = self.declared.revisions.iter().rev().map(Revision::as_str);
        let result = DiscoverResult::new(self.capabilities.clone(), versions);
        match &self.declared.instructions {
            Some(instructions) => result.with_instructions(instructions),
            None => result,
        }
    }

    fn call_tool(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let terms = request.terms;
        Ok(match self.tools.call(request.params, request.context())? {
            Reply::Ready(outcome) => {
                Served::Now(outcome.map(|result| Answer::call_tool(result, terms, &self.identity)))
            }
            Reply::Pending(future) => {
                let (terms, identity) = (Arc::clone(terms), Arc::clone(&self.identity));
                Served::Later(Box::pin(async move {
                    let result = future.await?;
                    Ok::<_, ErrorObject>(Answer::call_tool(result, &terms, &identity))
                }))
            }
        })
    }

    fn complete(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let terms = request.terms;
        let params: CompleteRequestParams = decode_params(request.params)?;
        let reply = match params.reference.clone() {
            CompletionReference::Prompt(prompt) => self.prompts.complete(&prompt.name, params)?,
            CompletionReference::Resource(template) => {
                self.resources
                    .complete(&template.uri, params, terms.revision)?
            }
            _ => {
                return Err(Refusal::InvalidParams {
                    path: "params.ref.type".to_owned(),
                    reason: "expected `ref/prompt` or `ref/resource`".to_owned(),
                });
            }
        };
        Ok(self.written(reply, terms))
    }

    /// An answer that is written for this one request.
    fn written<T: serde::Serialize + Conform + Send + 'static>(
        &self,
        reply: Reply<T>,
        terms: &Arc<Terms>,
    ) -> Served<Answer> {
        match reply {
            Reply::Ready(outcome) => {
                Served::Now(outcome.map(|result| Answer::written(result, terms, &self.identity)))
            }
            Reply::Pending(future) => {
                let (terms, identity) = (Arc::clone(terms), Arc::clone(&self.identity));
                Served::Later(Box::pin(async move {
                    let result = future.await?;
                    Ok::<_, ErrorObject>(Answer::written(result, &terms, &identity))
                }))
            }
        }
    }
}

impl Admitted<'_> {
    /// Makes the context of the request, once its `_meta` has been found.
    fn context(&self) -> impl FnOnce(Option<&RawValue>) -> Context {
        |meta| {
            Context::new(
                self.id.clone(),
                Arc::clone(self.terms),
                meta.map(RawJson::from),
                self.peer.clone(),
            )
        }
    }
}

/// Lists have one page, so no cursor was ever handed out.
fn refuse_cursor(params: Option<&RawValue>) -> Result<(), Refusal> {
    if params.is_none() {
        return Ok(());
    }
    match decode_params::<PaginatedRequestParams>(params)?.cursor {
        None => Ok(()),
        Some(cursor) => Err(Refusal::InvalidParams {
            path: "params.cursor".to_owned(),
            reason: format!("`{cursor}` is no cursor that this server gave out"),
        }),
    }
}
