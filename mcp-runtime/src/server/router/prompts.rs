//! The methods about prompts.

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::Answer;
use crate::server::prompts::Prompts;

impl Router {
    pub(super) fn get_prompt(
        &self,
        prompts: &Prompts,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let reply = prompts.get(request.params, request.context())?;
        Ok(self.answered(reply, request, Answer::written))
    }

    pub(super) fn list_prompts(
        &self,
        prompts: &Prompts,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        if prompts.differ_by_caller() {
            let context = request.own_context()?;
            let page = prompts.list_for(cursor.as_deref(), &context)?;
            return Ok(self.written(page, request));
        }
        let page = prompts.list(cursor.as_deref(), request.terms.revision)?;
        Ok(self.prepared(page, request))
    }
}
