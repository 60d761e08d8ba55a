//! The prompts of a server: listed in order, found by name.

use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, GetPromptRequestParamsRef, GetPromptResult,
    ListPromptsResult, RawJson, RawJsonRef, Revision,
};

use super::{PromptCall, PromptRoute};
use crate::protocol::{Refusal, decode_params, invalid_params};
use crate::server::caching::Caching;
use crate::server::handler::text::Texts;
use crate::server::prepared::Prepared;
use crate::server::routes::Routes;
use crate::server::{Context, Reply};

/// The prompts of a server.
#[derive(Debug)]
pub(in crate::server) struct Prompts {
    routes: Routes<PromptRoute>,
    list: Prepared,
    caching: Caching,
}

impl Prompts {
    pub(in crate::server) fn new(declared: Vec<PromptRoute>, caching: Caching) -> Self {
        Self {
            routes: Routes::new(declared),
            list: Prepared::default(),
            caching,
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        self.routes.iter().any(|route| !route.completers.is_empty())
    }

    /// The answer to `prompts/list`, written once a revision.
    pub(in crate::server) fn list(&self, revision: Revision) -> Arc<RawJson> {
        self.list.get(revision, || {
            let prompts = self.routes.iter().map(|route| route.prompt.clone());
            self.caching.mark(ListPromptsResult::new(prompts))
        })
    }

    /// Answers `prompts/get`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or there is no such prompt.
    pub(in crate::server) fn get(
        &self,
        params: Option<RawJsonRef<'_>>,
        context: impl FnOnce(Option<RawJsonRef<'_>>) -> Context,
    ) -> Result<Reply<GetPromptResult>, Refusal> {
        let params: GetPromptRequestParamsRef<'_> = decode_params(params)?;
        let route = self.find(&params.name)?;
        let text = params.arguments.map_or("{}", RawJsonRef::get);
        let arguments: Texts = serde_json::from_str(text)
            .map_err(|_| invalid_params::<Texts>("params.arguments", text))?;
        let context = context(params.meta);
        Ok((route.handler)(PromptCall {
            arguments: &arguments,
            context: &context,
        }))
    }

    /// Completes an argument of the prompt called `name`.
    ///
    /// # Errors
    ///
    /// When there is no such prompt.
    pub(in crate::server) fn complete(
        &self,
        name: &str,
        params: CompleteRequestParams,
    ) -> Result<Reply<CompleteResult>, Refusal> {
        Ok(self.find(name)?.completers.complete(params))
    }

    fn find(&self, name: &str) -> Result<&PromptRoute, Refusal> {
        let route = self.routes.get(name);
        route.ok_or_else(|| Refusal::UnknownPrompt(name.to_owned()))
    }
}
