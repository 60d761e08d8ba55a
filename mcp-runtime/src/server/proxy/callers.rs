//! Whose calls are passed on, to ask them what the server behind the proxy asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::ProtocolError;
use crate::client::{ElicitReply, Form, Page};
use crate::server::Context;
use crate::server::ask::{AskError, Elicited};
use mcp_types::jsonrpc::code;
use mcp_types::{CreateMessageRequestParams, CreateMessageResult};

tokio::task_local! {
    /// The call that the task passes on. A server without a handshake asks in its answer, so that
    /// its question comes up in the very task that waits for it.
    static CALL: Context;
}

/// The calls that are being passed on.
#[derive(Debug, Default)]
pub(super) struct Callers {
    last: AtomicU64,
    in_flight: Mutex<BTreeMap<u64, Context>>,
}

/// A call while it is passed on.
struct Passing {
    callers: Arc<Callers>,
    number: u64,
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Context>> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `call`, which is passed on for the caller of `context`.
    pub(super) async fn pass<F: Future>(self: Arc<Self>, context: Context, call: F) -> F::Output {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, context.clone());
        let _passing = Passing {
            callers: self,
            number,
        };
        CALL.scope(context, call).await
    }

    /// Who is to be asked. A request of the server behind does not say which call it belongs to,
    /// so that with several in flight nobody is: the question might be none of their business.
    fn asked(&self) -> Option<Context> {
        if let Ok(context) = CALL.try_with(Context::clone) {
            return Some(context);
        }
        let in_flight = self.lock();
        match in_flight.len() {
            1 => in_flight.values().next().cloned(),
            _ => None,
        }
    }

    pub(super) async fn form(&self, form: Form) -> ElicitReply {
        let Some(cx) = self.asked() else {
            return nobody();
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
        let Some(cx) = self.asked() else {
            return nobody();
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
        let refuse = |reason: String| Err(ProtocolError::new(code::INTERNAL_ERROR, reason));
        let Some(cx) = self.asked() else {
            return refuse("it is not known whose model is to be asked".to_owned());
        };
        match cx.sample(params.messages.clone()).like(params).await {
            Ok(sampled) => Ok(sampled.into_result()),
            Err(AskError::Call(crate::CallError::Rpc(error))) => Err(error),
            Err(error) => refuse(error.to_string()),
        }
    }
}

fn nobody() -> ElicitReply {
    tracing::warn!("a question is not passed on: it is not known whose call it belongs to");
    ElicitReply::cancel()
}

fn unanswered(error: &AskError) -> ElicitReply {
    tracing::debug!(%error, "a question that was passed on was not answered");
    ElicitReply::cancel()
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.callers.lock().remove(&self.number);
    }
}
