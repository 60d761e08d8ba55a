//! The methods about prompts.

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::Answer;

impl Router {
    pub(super) fn get_prompt(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let reply = self.prompts.get(request.params, request.context())?;
        Ok(self.answered(reply, request, Answer::written))
    }

    pub(super) fn list_prompts(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        if self.prompts.differ_by_caller() {
            let context = request.own_context()?;
            let page = self.prompts.list_for(cursor.as_deref(), &context)?;
            return Ok(self.written(page, request));
        }
        let page = self
            .prompts
            .list(cursor.as_deref(), request.terms.revision)?;
        Ok(self.prepared(page, request))
    }
}
