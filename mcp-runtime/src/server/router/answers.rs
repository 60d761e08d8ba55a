//! What was found, as the answer to a request.

use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{Conform, InputRequiredResult};
use serde::Serialize;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Terms;
use crate::server::answer::Identity;
use crate::server::reply::then;
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
    pub(super) fn written<T: Serialize + Conform>(
        &self,
        result: T,
        request: Admitted<'_>,
    ) -> Served<Answer> {
        Served::Now(Ok(Answer::written(result, request.terms, &self.identity)))
    }

    /// What `answer` makes of a reply, once it is there.
    pub(super) fn answered<T: 'static>(
        &self,
        reply: Reply<T>,
        request: Admitted<'_>,
        answer: impl Fn(T, &Terms, &Arc<Identity>) -> Answer + Send + 'static,
    ) -> Served<Answer> {
        let terms = request.terms;
        match reply {
            Reply::Ready(outcome) => {
                Served::Now(outcome.map(|result| answer(result, terms, &self.identity)))
            }
            Reply::Pending(future) => {
                let (terms, identity) = (Arc::clone(terms), Arc::clone(&self.identity));
                let answer = move |result| Ok(answer(result, &terms, &identity));
                Served::Later(then(future, answer))
            }
        }
    }
}
