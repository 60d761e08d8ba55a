//! The methods about tools.

use std::sync::Arc;

use mcp_types::ErrorObject;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::{Answer, Reply};

impl Router {
    pub(super) fn call_tool(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
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
        Ok(self.written(Reply::Ready(Ok(page)), request))
    }
}
