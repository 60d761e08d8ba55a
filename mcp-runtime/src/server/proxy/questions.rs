//! Questions and log messages of the server behind a proxy, forwarded to the callers of the proxy.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::ProtocolError;
use crate::client::{Client, ElicitReply, Form, Page};
use crate::error::RequestError;
use crate::server::Context;
use crate::server::ask::{AskError, Elicited};
use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, LoggingMessageNotificationParams, Root,
};

tokio::task_local! {
    /// The call that the task forwards. A stateless server asks in its answer, so that its question
    /// comes up in the very task that waits for it.
    static CALL: Context;
}

/// The calls that are being forwarded.
#[derive(Debug, Default)]
pub(super) struct Callers {
    last: AtomicU64,
    in_flight: Mutex<BTreeMap<u64, Context>>,
    /// Whether the calls of one caller wait until those of others are over.
    apart: AtomicBool,
    turns: Turns,
}

/// A call while it is forwarded.
struct ForwardedCall {
    callers: Arc<Callers>,
    number: u64,
    /// The way to the server behind, while it owes an answer that somebody else waits for.
    owed: Option<Client>,
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Context>> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `call`, which is passed on to `client` for the caller of `context`.
    pub(super) async fn pass<F: Future>(
        self: Arc<Self>,
        context: Context,
        client: Client,
        call: F,
    ) -> F::Output {
        let apart = self.apart.load(Ordering::Relaxed);
        let number = if apart {
            self.turns.enter(|| self.enter_apart(&context)).await
        } else {
            self.enter(&mut self.lock(), &context)
        };
        let mut passing = ForwardedCall {
            callers: self,
            number,
            owed: apart.then_some(client),
        };
        let outcome = CALL.scope(context, call).await;
        passing.owed = None;
        outcome
    }

    /// Keeps callers apart from now on.
    pub(super) fn keep_apart(&self) {
        self.apart.store(true, Ordering::Relaxed);
    }

    fn leave(&self, number: u64) {
        self.lock().remove(&number);
        self.turns.leave();
    }

    fn enter(&self, in_flight: &mut BTreeMap<u64, Context>, context: &Context) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        in_flight.insert(number, context.clone());
        number
    }

    /// The same, unless a call of somebody else is in flight.
    fn enter_apart(&self, context: &Context) -> Option<u64> {
        let mut in_flight = self.lock();
        let is_alone = in_flight
            .values()
            .all(|other| are_of_session(context, other));
        is_alone.then(|| self.enter(&mut in_flight, context))
    }

    /// Who is to be asked. A request of the server behind does not say which call it belongs to,
    /// so that with several callers nobody is: the question might be none of their business.
    ///
    /// # Errors
    ///
    /// Why nobody is, in words for the server behind.
    fn asked(&self) -> Result<Context, &'static str> {
        if let Ok(context) = CALL.try_with(Context::clone) {
            return Ok(context);
        }
        let in_flight = self.lock();
        let Some(newest) = in_flight.values().next_back() else {
            return Err("nobody can be asked: no call is in flight");
        };
        let mut others = in_flight.values().rev().skip(1);
        match others.all(|other| are_of_session(newest, other)) {
            true => Ok(newest.clone()),
            false => Err(SEVERAL),
        }
    }

    pub(super) async fn form(&self, form: Form) -> ElicitReply {
        let cx = match self.asked() {
            Ok(cx) => cx,
            Err(reason) => return nobody(reason),
        };
        let question = cx.elicit::<BTreeMap<String, Value>>(form.message());
        match question.schema(form.schema().clone()).outcome().await {
            Ok(Elicited::Accepted(content)) => form.accept(content),
            Ok(Elicited::Declined) => form.decline(),
            Ok(Elicited::Cancelled) => form.cancel(),
            Err(error) => unanswered(&error),
        }
    }

    pub(super) async fn page(&self, page: Page) -> ElicitReply {
        let cx = match self.asked() {
            Ok(cx) => cx,
            Err(reason) => return nobody(reason),
        };
        let mut question = cx.elicit_url(page.message(), page.url());
        if let Some(id) = page.id() {
            question = question.id(id);
        }
        match question.outcome().await {
            Ok(Elicited::Accepted(())) => page.accept(),
            Ok(Elicited::Declined) => page.decline(),
            Ok(Elicited::Cancelled) => page.cancel(),
            Err(error) => unanswered(&error),
        }
    }

    pub(super) async fn sample(
        &self,
        params: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ProtocolError> {
        let cx = self.asked().map_err(internal)?;
        match cx.sample(params.messages.clone()).like(params).await {
            Ok(sampled) => Ok(sampled.into_result()),
            Err(error) => Err(refused(error)),
        }
    }

    pub(super) async fn roots(&self) -> Result<Vec<Root>, ProtocolError> {
        let cx = self.asked().map_err(internal)?;
        cx.roots().await.map_err(refused)
    }

    /// Tells the caller what the server behind has logged.
    pub(super) fn log(&self, message: &LoggingMessageNotificationParams) {
        if let Ok(cx) = self.asked() {
            let logger = message.logger.as_deref();
            cx.log_as(logger, message.level.clone(), &message.data);
        }
    }
}

fn refused(error: AskError) -> ProtocolError {
    match error {
        AskError::Call(crate::CallError::Rpc(error)) => error,
        error => internal(error.to_string()),
    }
}

/// Whether both calls come from one client, which keeps a session here.
fn are_of_session(one: &Context, other: &Context) -> bool {
    one.negotiated().outlive_requests() && Arc::ptr_eq(one.session(), other.session())
}

fn internal(reason: impl Into<String>) -> ProtocolError {
    RequestError::NotAsked(reason.into()).to_error()
}

/// Why nobody is asked while calls of several callers are in flight.
const SEVERAL: &str = "nobody can be asked: calls of several callers are in flight, and a question \
                       does not say which of them it belongs to";

fn nobody(reason: &'static str) -> ElicitReply {
    tracing::warn!(reason, "a question is not passed on");
    ElicitReply::fault(reason.to_owned())
}

fn unanswered(error: &AskError) -> ElicitReply {
    tracing::debug!(%error, "a question that was passed on was not answered");
    ElicitReply::cancel()
}

impl Drop for ForwardedCall {
    fn drop(&mut self) {
        let (callers, number) = (Arc::clone(&self.callers), self.number);
        match (self.owed.take(), Handle::try_current()) {
            // The call was given up, and may have asked something that is still on its way. What
            // the server behind says before it answers this belongs to nobody else.
            (Some(client), Ok(runtime)) => drop(runtime.spawn(async move {
                if let Err(error) = client.ping().await {
                    tracing::debug!(%error, "a call that was given up is not waited for");
                }
                callers.leave(number);
            })),
            _ => callers.leave(number),
        }
    }
}

/// A queue of calls that wait for those of other callers to end.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Held by the next call. It is fair: the others follow in the order in which they came.
    queue: tokio::sync::Mutex<()>,
    left: Notify,
}

impl Turns {
    /// Waits until all calls that came before have entered, and then until `enter` returns a value;
    /// it is tried again whenever a call has [left](Self::leave).
    pub(super) async fn enter<T>(&self, mut enter: impl FnMut() -> Option<T>) -> T {
        let _next = self.queue.lock().await;
        loop {
            let mut left = pin!(self.left.notified());
            left.as_mut().enable();
            if let Some(entered) = enter() {
                return entered;
            }
            left.await;
        }
    }

    pub(super) fn leave(&self) {
        self.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn who_came_later_does_not_overtake() {
        let (turns, free) = (Turns::default(), Cell::new(false));
        let mut first = pin!(turns.enter(|| free.get().then_some(1)));
        let mut second = pin!(turns.enter(|| Some(2)));
        poll_fn(|cx| {
            assert!(first.as_mut().poll(cx).is_pending());
            assert!(second.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        free.set(true);
        turns.leave();
        assert_eq!(first.await, 1);
        assert_eq!(second.await, 2);
    }

    #[tokio::test]
    async fn who_gives_up_is_not_waited_for() {
        let turns = Turns::default();
        {
            let mut never = pin!(turns.enter(|| None::<()>));
            poll_fn(|cx| {
                assert!(never.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
        }
        assert_eq!(turns.enter(|| Some(2)).await, 2);
    }
}
