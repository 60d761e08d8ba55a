//! What was found, as the answer to a request.

use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{Conform, Encode, ErrorObject, InputRequiredResult};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Terms;
use crate::server::{Answer, Reply};

impl Router {
    /// Questions in place of a result.
    pub(in crate::server) fn input_required(
        &self,
        result: InputRequiredResult,
        terms: &Terms,
    ) -> Answer {
        Answer::written(result, terms, &self.identity)
    }

    /// An answer that was written before.
    pub(super) fn prepared(&self, result: PreparedResult, request: Admitted<'_>) -> Served<Answer> {
        Served::Now(Ok(Answer::prepared(result, request.terms, &self.identity)))
    }

    /// An answer that is written for this one request.
    pub(super) fn written<T: Encode + Conform + Send + 'static>(
        &self,
        reply: Reply<T>,
        request: Admitted<'_>,
    ) -> Served<Answer> {
        let terms = request.terms;
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
