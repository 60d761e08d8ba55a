//! The method about completions.

use mcp_types::{CompleteRequestParams, CompletionReference};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, decode_params};
use crate::server::Answer;
use crate::server::prompts::Prompts;
use crate::server::resources::{Resources, Viewer};

impl Router {
    pub(super) fn complete(
        &self,
        prompts: &Prompts,
        resources: &Resources,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let params: CompleteRequestParams = decode_params(request.params)?;
        let reply = match params.reference.clone() {
            CompletionReference::Prompt(prompt) => {
                let limited = prompts.differ_by_caller();
                let context = request.context_if(limited)?;
                let (name, context) = (&prompt.name, context.as_ref());
                prompts.complete(name, params, context)?
            }
            CompletionReference::Resource(template) => {
                let limited = resources.differ_by_caller();
                let context = request.context_if(limited)?;
                let viewer = Viewer::new(request.terms.revision, context.as_ref());
                resources.complete(&template.uri, params, viewer)?
            }
            _ => {
                return Err(Refusal::InvalidParams {
                    path: "params.ref.type".to_owned(),
                    reason: "expected `ref/prompt` or `ref/resource`".to_owned(),
                });
            }
        };
        Ok(self.answered(reply, request, Answer::written))
    }
}
