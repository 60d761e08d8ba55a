//! What all kinds of questions have in common.

use std::future::poll_fn;

use mcp_types::{Conform, Era, RawJson};

use super::clock::OpenQuestion;
use super::question::Question;
use super::{AskError, Asking};
use crate::connection::BoxFuture;
use crate::limits::ANSWER_TIMEOUT;
use crate::protocol::Lacking;
use crate::server::Context;

/// A question to the client: for the user ([`Elicit`](super::Elicit)), for a language model
/// ([`Sample`](super::Sample)), or for its roots ([`ListRoots`](super::ListRoots)).
pub trait Ask: private::Sealed + Send + 'static {
    /// What an answer is turned into.
    type Answer: Send + 'static;

    #[doc(hidden)]
    fn question(&self) -> Result<Question, AskError>;

    #[doc(hidden)]
    fn read(&self, answer: &RawJson) -> Result<Self::Answer, AskError>;
}

pub(super) mod private {
    pub trait Sealed {}
}

/// Asks, and waits for the answer.
pub(super) fn answer<A: Ask + Sync>(ask: A, cx: Context) -> BoxFuture<Result<A::Answer, AskError>> {
    Box::pin(async move {
        let question = ask.question()?;
        if let Some(lacking) = Lacking::for_request(cx.negotiated(), &question.request) {
            return Err(AskError::unsupported(&lacking));
        }
        ask.read(&raw_answer(question, &cx).await?)
    })
}

async fn raw_answer(mut question: Question, cx: &Context) -> Result<RawJson, AskError> {
    match cx.revision().era() {
        Era::Handshake => {
            let usual = cx.asking().map(|asking| asking.patience);
            let usual = usual.unwrap_or(ANSWER_TIMEOUT);
            let _open = cx.asking().map(OpenQuestion::new);
            question.send(cx.peer(), cx.revision(), usual).await
        }
        Era::Stateless => {
            // Without, nobody would notice that the handler waits.
            let asking = cx.asking().ok_or(AskError::Suspended)?;
            question.request.conform(cx.revision());
            let name = asking.name(&question);
            let mut waiting = Waiting {
                asking,
                name: &name,
                armed: true,
            };
            let answer = poll_fn(|task| asking.poll_answer(&name, &question.request, task)).await;
            waiting.armed = false;
            answer
        }
    }
}

/// Withdraws the question of a future that is dropped, as the slower one of two may be.
struct Waiting<'a> {
    asking: &'a Asking,
    name: &'a str,
    armed: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.asking.withdraw(self.name);
        }
    }
}
