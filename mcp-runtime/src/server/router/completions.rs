//! The method about completions.

use mcp_types::{CompleteRequestParams, CompletionReference};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, decode_params};
use crate::server::Answer;

impl Router {
    pub(super) fn complete(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let params: CompleteRequestParams = decode_params(request.params)?;
        let reply = match params.reference.clone() {
            CompletionReference::Prompt(prompt) => self.prompts.complete(&prompt.name, params)?,
            CompletionReference::Resource(template) => {
                let revision = request.terms.revision;
                self.resources.complete(&template.uri, params, revision)?
            }
            _ => {
                return Err(Refusal::InvalidParams {
                    path: "params.ref.type".to_owned(),
                    reason: "expected `ref/prompt` or `ref/resource`".to_owned(),
                });
            }
        };
        Ok(self.written(reply, request))
    }
}
