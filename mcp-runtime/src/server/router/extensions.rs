//! The methods that extensions bring.

use std::sync::Arc;

use mcp_types::Side;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, not_offered};
use crate::server::{Answer, MethodCall, Reply};

impl Router {
    pub(super) fn call_extension(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let terms = request.terms;
        let context = request.own_context()?;
        let call = MethodCall {
            params: request.params,
            context: &context,
        };
        let reply = self.settings.extensions.call(request.method, call);
        let unknown = || not_offered(request.method, Side::Server, terms.revision);
        Ok(match reply.ok_or_else(unknown)? {
            Reply::Ready(outcome) => {
                Served::Now(outcome.map(|result| Answer::extension(result, terms, &self.identity)))
            }
            Reply::Pending(future) => {
                let (terms, identity) = (Arc::clone(terms), Arc::clone(&self.identity));
                Served::Later(Box::pin(async move {
                    Ok(Answer::extension(future.await?, &terms, &identity))
                }))
            }
        })
    }
}
