//! From the method of a request to what serves it.

use std::sync::Arc;

use mcp_types::{
    CallToolRequest, DiscoverRequest, DiscoverResult, ErrorObject, InitializeResult,
    ListToolsRequest, PaginatedRequestParams, PingRequest, RawJson, Request, RequestId, Revision,
    Revisions, ServerCapabilities, ServerCapabilitiesTools, Side,
};
use serde_json::value::RawValue;

use super::answer::{Answer, Identity};
use super::builder::ServerBuilder;
use super::prepared::Prepared;
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
        let tools = Tools::new(builder.tools);
        let mut capabilities = ServerCapabilities::default();
        if !tools.is_empty() {
            capabilities.tools = Some(ServerCapabilitiesTools::default());
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
            discover: Prepared::default(),
        }
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
        let context = |meta: Option<&RawValue>| {
            Context::new(
                request.id.clone(),
                Arc::clone(terms),
                meta.map(RawJson::from),
                request.peer.clone(),
            )
        };
        Ok(match self.tools.call(request.params, context)? {
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
