//! Questions and log messages of the server behind a proxy, forwarded to the callers of the proxy.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, LoggingMessageNotificationParams, Root,
};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::ProtocolError;
use crate::client::{Client, ElicitReply, Form, Page};
use crate::error::RequestError;
use crate::server::Context;
use crate::server::input::{AskError, Elicited};

tokio::task_local! {
    /// The call that the task forwards. A stateless server asks in its answer, so that its question
    /// comes up in the very task that waits for it.
    static CALL: Context;
}

/// The callers whose calls are being forwarded.
#[derive(Debug, Default)]
pub(super) struct Callers {
    in_flight: Mutex<BTreeMap<u64, Context>>,
    /// If set, the calls of one caller wait until those of others are over.
    one_at_a_time: AtomicBool,
    /// Held by the next call that waits. It is fair: calls go in the order in which they came.
    queue: tokio::sync::Mutex<()>,
    /// Notified when a call is over.
    ended: Notify,
}

/// A call while it is forwarded.
struct ForwardedCall {
    callers: Arc<Callers>,
    number: u64,
    /// The client of the server behind, while that owes an answer which other callers wait for.
    owed: Option<Client>,
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Context>> {
        let in_flight = self.in_flight.lock();
        in_flight.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `call`, which is forwarded by `client` for the caller of `context`.
    pub(super) async fn forward<F: Future>(
        self: Arc<Self>,
        context: Context,
        client: Client,
        call: F,
    ) -> F::Output {
        let one_at_a_time = self.one_at_a_time.load(Ordering::Relaxed);
        let number = match one_at_a_time {
            true => self.wait_for_others(&context).await,
            false => insert(&mut self.lock(), &context),
        };
        let mut forwarded = ForwardedCall {
            callers: self,
            number,
            owed: one_at_a_time.then_some(client),
        };
        let outcome = CALL.scope(context, call).await;
        forwarded.owed = None;
        outcome
    }

    /// Forwards the calls of one caller at a time from now on.
    pub(super) fn keep_apart(&self) {
        self.one_at_a_time.store(true, Ordering::Relaxed);
    }

    /// Adds a call, once no call of another caller is in flight.
    async fn wait_for_others(&self, context: &Context) -> u64 {
        let _next = self.queue.lock().await;
        loop {
            let mut ended = pin!(self.ended.notified());
            ended.as_mut().enable();
            {
                let mut in_flight = self.lock();
                if in_flight.values().all(|other| same_session(context, other)) {
                    return insert(&mut in_flight, context);
                }
            }
            ended.await;
        }
    }

    fn remove(&self, number: u64) {
        self.lock().remove(&number);
        self.ended.notify_waiters();
    }

    /// The caller to ask.
    ///
    /// # Errors
    ///
    /// When there is none, or more than one: a server with a handshake does not say which call its
    /// question belongs to, and it might be none of the other callers' business.
    fn caller(&self) -> Result<Context, RequestError> {
        if let Ok(context) = CALL.try_with(Context::clone) {
            return Ok(context);
        }
        let in_flight = self.lock();
        let Some((_, newest)) = in_flight.last_key_value() else {
            return Err(RequestError::NoCaller);
        };
        let mut others = in_flight.values().rev().skip(1);
        match others.all(|other| same_session(newest, other)) {
            true => Ok(newest.clone()),
            false => Err(RequestError::SeveralCallers),
        }
    }

    pub(super) async fn form(&self, form: Form) -> ElicitReply {
        let cx = match self.caller() {
            Ok(cx) => cx,
            Err(error) => return not_forwarded(&error),
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
        let cx = match self.caller() {
            Ok(cx) => cx,
            Err(error) => return not_forwarded(&error),
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
        let cx = self.caller().map_err(|error| error.to_error())?;
        let mut sample = cx.sample(Vec::new());
        sample.kind.params = params;
        sample.kind.params.meta = None;
        match sample.await {
            Ok(sampled) => Ok(sampled.into_result()),
            Err(error) => Err(to_protocol_error(error)),
        }
    }

    pub(super) async fn roots(&self) -> Result<Vec<Root>, ProtocolError> {
        let cx = self.caller().map_err(|error| error.to_error())?;
        cx.roots().await.map_err(to_protocol_error)
    }

    /// Forwards a log message to the caller.
    pub(super) fn log(&self, message: &LoggingMessageNotificationParams) {
        if let Ok(cx) = self.caller() {
            let logger = message.logger.as_deref();
            cx.log_as(logger, message.level.clone(), &message.data);
        }
    }
}

/// Adds a call with the next number.
fn insert(in_flight: &mut BTreeMap<u64, Context>, context: &Context) -> u64 {
    let last = in_flight.last_key_value();
    let number = last.map_or(0, |(number, _)| number + 1);
    in_flight.insert(number, context.clone());
    number
}

/// Returns whether both calls come from one client, which keeps a session here.
fn same_session(one: &Context, other: &Context) -> bool {
    one.negotiated().outlive_requests() && Arc::ptr_eq(one.session(), other.session())
}

fn to_protocol_error(error: AskError) -> ProtocolError {
    match error {
        AskError::Call(crate::CallError::Rpc(error)) => error,
        error => RequestError::NoAnswer(error.to_string()).to_error(),
    }
}

fn not_forwarded(error: &RequestError) -> ElicitReply {
    tracing::warn!(%error, "a question is not passed on");
    ElicitReply::fault(error.to_string())
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
            // the server behind asks before it answers this ping belongs to no other caller.
            (Some(client), Ok(runtime)) => drop(runtime.spawn(async move {
                if let Err(error) = client.ping().await {
                    tracing::debug!(%error, "a call that was given up is not waited for");
                }
                callers.remove(number);
            })),
            _ => callers.remove(number),
        }
    }
}
