//! Forwards questions and log messages of the server behind a proxy to the callers of the proxy.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, LoggingMessageNotificationParams, Root,
};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};

use crate::ProtocolError;
use crate::client::{Client, ElicitReply, Form, Page};
use crate::error::RequestError;
use crate::server::Context;
use crate::server::input::{AskError, Elicited};

tokio::task_local! {
    /// The context of the call that the task forwards. A stateless server asks in its answer, so
    /// its question is handled in the task that waits for the answer.
    static CALL: Context;
}

/// The callers whose calls are being forwarded.
#[derive(Debug, Default)]
pub(super) struct Callers {
    in_flight: watch::Sender<BTreeMap<u64, Context>>,
    /// If true, the calls of a caller wait until the calls of all other callers are over.
    one_at_a_time: AtomicBool,
    /// Held by the next call that waits. Tokio's mutex is fair, so calls proceed in order of
    /// arrival.
    queue: Mutex<()>,
}

struct ForwardedCall {
    callers: Arc<Callers>,
    number: u64,
    /// The client, if other callers must wait until the upstream server has answered.
    owed: Option<Client>,
}

impl Callers {
    /// Runs `call`, which `client` forwards for the caller of `context`.
    pub(super) async fn forward<F: Future>(
        self: Arc<Self>,
        context: Context,
        client: Client,
        call: F,
    ) -> F::Output {
        let one_at_a_time = self.one_at_a_time.load(Ordering::Relaxed);
        let turn = if one_at_a_time {
            Some(self.queue.lock().await)
        } else {
            None
        };
        if one_at_a_time {
            let is_free = |calls: &BTreeMap<_, _>| is_of_one_caller(&context, calls);
            // This never fails, because `self` owns the sender.
            let _ = self.in_flight.subscribe().wait_for(is_free).await;
        }
        context.input_or_default().forward();
        let number = self.insert(&context);
        drop(turn);
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

    /// Adds a call, and returns its number, which is higher than the numbers of all other calls.
    fn insert(&self, context: &Context) -> u64 {
        let mut number = 0;
        self.in_flight.send_modify(|calls| {
            number = calls.last_key_value().map_or(0, |(last, _)| last + 1);
            calls.insert(number, context.clone());
        });
        number
    }

    fn remove(&self, number: u64) {
        self.in_flight.send_modify(|calls| {
            calls.remove(&number);
        });
    }

    /// Returns the context of the caller to ask.
    ///
    /// # Errors
    ///
    /// When there is no caller, or more than one. In the handshake era, the server does not say
    /// which call its question belongs to, and other callers must not get it.
    fn caller(&self) -> Result<Context, RequestError> {
        if let Ok(context) = CALL.try_with(Context::clone) {
            return Ok(context);
        }
        let in_flight = self.in_flight.borrow();
        let Some((_, newest)) = in_flight.last_key_value() else {
            return Err(RequestError::NoCaller);
        };
        if in_flight.len() == 1 || is_of_one_caller(newest, &in_flight) {
            Ok(newest.clone())
        } else {
            Err(RequestError::SeveralCallers)
        }
    }

    pub(super) async fn form(self: Arc<Self>, form: Form) -> ElicitReply {
        let cx = match self.caller() {
            Ok(cx) => cx,
            Err(error) => return not_forwarded(&error),
        };
        let question = cx.elicit_schema(form.message(), form.schema().clone());
        let outcome: Result<Elicited<BTreeMap<String, Value>>, _> = question.outcome().await;
        reply(outcome, |content| form.accept(content))
    }

    pub(super) async fn page(self: Arc<Self>, page: Page) -> ElicitReply {
        let cx = match self.caller() {
            Ok(cx) => cx,
            Err(error) => return not_forwarded(&error),
        };
        let mut question = cx.elicit_url(page.message(), page.url());
        if let Some(id) = page.id() {
            question = question.id(id);
        }
        reply(question.outcome().await, |()| page.accept())
    }

    #[expect(deprecated, reason = "a proxy passes on what its two sides use")]
    pub(super) async fn sample(
        self: Arc<Self>,
        params: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ProtocolError> {
        let cx = self.caller().map_err(|error| error.to_error())?;
        let mut sample = cx.sample(Vec::new());
        sample.kind.params = params;
        sample.kind.params.meta = None;
        let sampled = sample.await.map_err(to_protocol_error)?;
        Ok(sampled.into_result())
    }

    #[expect(deprecated, reason = "a proxy passes on what its two sides use")]
    pub(super) async fn roots(self: Arc<Self>) -> Result<Vec<Root>, ProtocolError> {
        let cx = self.caller().map_err(|error| error.to_error())?;
        cx.roots().await.map_err(to_protocol_error)
    }

    /// Forwards a log message to the caller, or drops it if the caller is not known.
    pub(super) fn log(&self, message: &LoggingMessageNotificationParams) {
        if let Ok(cx) = self.caller() {
            let logger = message.logger.as_deref();
            cx.log_as(logger, message.level.clone(), &message.data);
        }
    }
}

/// Returns true if all calls are from the session of `context`. Without a session, calls are never
/// from the same caller.
fn is_of_one_caller(context: &Context, calls: &BTreeMap<u64, Context>) -> bool {
    let is_session = context.negotiated().outlive_requests();
    let mut calls = calls.values();
    calls.all(|other| is_session && Arc::ptr_eq(context.session(), other.session()))
}

fn to_protocol_error(error: AskError) -> ProtocolError {
    match error {
        AskError::Call(crate::CallError::Rpc(error)) | AskError::Unsupported { error, .. } => error,
        error => RequestError::NoAnswer(error.to_string()).to_error(),
    }
}

fn not_forwarded(error: &RequestError) -> ElicitReply {
    crate::log::warn!(%error, "a question is not passed on");
    ElicitReply::fault(error.to_string())
}

fn reply<T>(
    outcome: Result<Elicited<T>, AskError>,
    accept: impl FnOnce(T) -> ElicitReply,
) -> ElicitReply {
    match outcome {
        Ok(Elicited::Accepted(content)) => accept(content),
        Ok(Elicited::Declined) => ElicitReply::decline(),
        Ok(Elicited::Cancelled) => ElicitReply::cancel(),
        Err(AskError::Unsupported { error, .. }) => ElicitReply::error(error),
        Err(error) => {
            tracing::debug!(%error, "a question that was passed on has no answer");
            ElicitReply::cancel()
        }
    }
}

impl Drop for ForwardedCall {
    fn drop(&mut self) {
        let callers = Arc::clone(&self.callers);
        let number = self.number;
        match (self.owed.take(), Handle::try_current()) {
            // The call was cancelled, but a question of it may still be on its way. Questions that
            // arrive before the answer to this ping must not reach another caller.
            (Some(client), Ok(runtime)) => drop(runtime.spawn(async move {
                if let Err(error) = client.ping().await {
                    tracing::debug!(%error, "stopped waiting for the end of a cancelled call");
                }
                callers.remove(number);
            })),
            _ => callers.remove(number),
        }
    }
}
