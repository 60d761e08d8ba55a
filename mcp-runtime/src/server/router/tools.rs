//! The methods about tools.

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::Answer;

impl Router {
    pub(super) fn call_tool(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let reply = self.tools.call(request.params, request.context())?;
        Ok(self.answered(reply, request, Answer::call_tool))
    }

    pub(super) fn list_tools(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        if let Some(used) = &self.settings.context_use
            && self.tools.differ_by_caller()
        {
            return (used.list_tools)(self, request);
        }
        let cursor = request.cursor()?;
        let page = self.tools.list(cursor.as_deref(), request.terms.revision)?;
        Ok(self.prepared(page, request))
    }

    /// Lists the tools that one caller may see.
    pub(in crate::server) fn list_tools_for(
        &self,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let context = request.own_context()?;
        let page = self.tools.list_for(cursor.as_deref(), &context)?;
        Ok(self.written(page, request))
    }
}
