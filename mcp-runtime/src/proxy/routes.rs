//! The calls on a connection to a server, and who gets what the server sends.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{ErrorObject, RawJson, RawJsonRef, meta_keys, methods};
use tokio::sync::{mpsc, oneshot};

use super::messages::{Listener, of_subscription, send, with};
use super::names::Names;
use crate::connection::{BoxFuture, Peer};
use crate::error::{CallError, RequestError};
use crate::limits::FOREVER;
use crate::protocol::Timeouts;
use crate::server::Context;
use crate::sync::lock;

type Questions = mpsc::UnboundedSender<PendingQuestion>;

/// Routes the messages of a server to the callers that they belong to.
pub(super) struct Routes {
    pub(super) names: Names,
    state: Mutex<RoutesState>,
}

#[derive(Default)]
struct RoutesState {
    /// The calls in flight, oldest first.
    calls: Vec<Weak<CallInFlight>>,
    /// The sessions that get the messages that belong to no call.
    callers: Vec<Weak<Listener>>,
}

/// A call, which is in flight until this is dropped.
pub(super) struct CallInFlight {
    caller: u64,
    /// The request of the caller. A parked call gets a new one when it is continued.
    context: Mutex<Context>,
    /// The id of the request to the server, which is also its progress token.
    id: AtomicI64,
    /// Takes the questions for a caller that does not answer requests.
    questions: Option<Questions>,
}

/// A question of a server with a handshake to a stateless caller.
pub(super) struct PendingQuestion {
    pub(super) method: String,
    pub(super) params: Option<RawJson>,
    pub(super) answer: oneshot::Sender<Result<RawJson, ErrorObject>>,
}

impl CallInFlight {
    pub(super) fn context(&self) -> Context {
        lock(&self.context).clone()
    }

    pub(super) fn continue_with(&self, context: &Context) {
        *lock(&self.context) = context.clone();
    }

    pub(super) fn sent_as(&self, id: i64) {
        self.id.store(id, Ordering::Release);
    }
}

impl Routes {
    pub(super) fn new(names: Names) -> Self {
        Self {
            names,
            state: Mutex::default(),
        }
    }

    /// Adds a session, which gets the messages that belong to no call from now on.
    pub(super) fn add(&self, caller: &Arc<Listener>) {
        let added = Arc::downgrade(caller);
        let mut state = lock(&self.state);
        let is_other = |it: &Weak<_>| it.strong_count() > 0 && !it.ptr_eq(&added);
        state.callers.retain(is_other);
        state.callers.push(added);
    }

    pub(super) fn callers(&self) -> Vec<Arc<Listener>> {
        let state = lock(&self.state);
        state.callers.iter().filter_map(Weak::upgrade).collect()
    }

    /// Adds a call of the caller with this number.
    pub(super) fn begin(
        &self,
        caller: u64,
        context: &Context,
        questions: Option<Questions>,
    ) -> Arc<CallInFlight> {
        let call = Arc::new(CallInFlight {
            caller,
            context: Mutex::new(context.clone()),
            id: AtomicI64::new(0),
            questions,
        });
        let mut state = lock(&self.state);
        state.calls.retain(|it| it.strong_count() > 0);
        state.calls.push(Arc::downgrade(&call));
        call
    }

    fn calls(&self) -> Vec<Arc<CallInFlight>> {
        let state = lock(&self.state);
        state.calls.iter().filter_map(Weak::upgrade).collect()
    }

    /// The newest call, if all calls in flight belong to one caller.
    ///
    /// # Errors
    ///
    /// When no call is in flight, or calls of several callers are.
    fn only_caller(&self) -> Result<Arc<CallInFlight>, RequestError> {
        let mut calls = self.calls();
        let newest = calls.pop().ok_or(RequestError::NoCaller)?;
        match calls.iter().all(|it| it.caller == newest.caller) {
            true => Ok(newest),
            false => Err(RequestError::SeveralCallers),
        }
    }

    /// The request of the caller that was sent to the server with this id.
    fn sent_as(&self, id: i64) -> Option<Context> {
        let calls = self.calls();
        let call = calls.iter().find(|it| it.id.load(Ordering::Acquire) == id);
        call.map(|call| call.context())
    }

    /// The client that a question belongs to, and what takes the question if the client does not
    /// answer requests.
    fn asked(&self) -> Result<(Peer, Option<Questions>), RequestError> {
        match (self.only_caller(), &*self.callers()) {
            (Ok(call), _) => Ok((call.context().peer().clone(), call.questions.clone())),
            // Without a call, a question can only reach the one session that there is.
            (Err(RequestError::NoCaller), [caller]) => {
                Ok((caller.peer().ok_or(RequestError::NoCaller)?.clone(), None))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Passes a question of the server on to the caller that it belongs to.
    pub(super) fn ask(
        &self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> BoxFuture<Result<RawJson, ErrorObject>> {
        let asked = self.asked();
        let names = self.names.clone();
        let params = params.map(|params| names.question(method, params.into()));
        let method = method.to_owned();
        Box::pin(async move {
            let (peer, questions) = asked?;
            let Some(questions) = questions else {
                let asked = peer.ask(method.into(), params.as_ref(), Timeouts::within(FOREVER));
                let answer = asked.await.map_err(|error| match error {
                    CallError::Rpc(error) => error,
                    error => RequestError::NoAnswer(error.to_string()).to_error(),
                });
                return Ok(names.answer(answer?));
            };
            let (answer, answered) = oneshot::channel();
            let question = PendingQuestion {
                method,
                params,
                answer,
            };
            // Fails if the call has ended, and then `answered` fails as well.
            let _ = questions.send(question);
            let gone = |_| Err(RequestError::NoCaller.to_error());
            Ok(names.answer(answered.await.unwrap_or_else(gone)?))
        })
    }

    /// Passes a notification of the server on.
    pub(super) fn notify(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        let raw = params.unwrap_or(RawJsonRef::empty_object());
        match method {
            methods::NOTIFICATIONS_CANCELLED => return,
            methods::NOTIFICATIONS_PROGRESS => return self.progress(raw),
            _ => {}
        }
        let renamed = params.map(|params| self.names.notification(method, params.into()));
        let params = renamed.as_ref().map(RawJson::as_raw);
        if let Some(id) = subscription(raw) {
            return self.listened(id, method, params);
        }
        if method == methods::NOTIFICATIONS_MESSAGE
            && let Ok(call) = self.only_caller()
        {
            let context = call.context();
            if call.questions.is_none() || context.wants_logs() {
                send(context.peer(), method, params, false);
            }
            return;
        }
        for caller in self.callers() {
            caller.hear(method, params);
        }
    }

    /// Passes progress on to the caller, with its own token.
    fn progress(&self, params: RawJsonRef<'_>) {
        const TOKEN: &str = "progressToken";
        let id = params.member(TOKEN).and_then(|token| token.parse().ok());
        if let Some(context) = id.and_then(|id| self.sent_as(id))
            && let Some(token) = context.progress_token()
        {
            let params = with(&params.into(), &[TOKEN], token);
            let method = methods::NOTIFICATIONS_PROGRESS;
            send(context.peer(), method, Some(params.as_raw()), false);
        }
    }

    /// Passes on a notification of the subscription `id`, which is a call of `subscriptions/listen`.
    fn listened(&self, id: i64, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(context) = self.sent_as(id) {
            let params = params.unwrap_or(RawJsonRef::empty_object());
            let params = of_subscription(&params.into(), context.request_id());
            send(context.peer(), method, Some(params.as_raw()), true);
        }
    }
}

/// The id of the subscription that a notification belongs to.
fn subscription(params: RawJsonRef<'_>) -> Option<i64> {
    let meta = params.member("_meta")?;
    meta.member(meta_keys::SUBSCRIPTION_ID)?.parse().ok()
}

/// Returns a number that tells a call of a stateless client apart from all other callers.
pub(super) fn next_caller() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(u64::MAX);
    NEXT.fetch_sub(1, Ordering::Relaxed)
}
