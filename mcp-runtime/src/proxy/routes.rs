//! The calls on a connection to a server, and who gets what the server sends.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{ErrorObject, RawJson, RawJsonRef, meta_keys, methods};
use tokio::sync::{mpsc, oneshot};

use super::messages::{Listener, of_subscription, send, with};
use super::names::Names;
use crate::connection::{BoxFuture, Peer};
use crate::error::{CallError, RequestError};
use crate::limits::{FOREVER, MAX_QUEUED_BYTES};
use crate::protocol::Timeouts;
use crate::server::Context;
use crate::sync::lock;

const PROGRESS_TOKEN: &str = "progressToken";

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
    request: Mutex<CallerRequest>,
    /// The id of the request to the server, which is also its progress token.
    id: AtomicI64,
    /// Takes the questions for a caller that does not answer requests.
    questions: Option<Questions>,
}

/// The request of a caller. A parked call gets a new one when it is continued.
struct CallerRequest {
    context: Context,
    /// While the call is parked, the notifications for the next request, with their methods.
    missed: Option<Vec<(&'static str, RawJson)>>,
}

/// A question of a server with a handshake to a stateless caller.
pub(super) struct PendingQuestion {
    pub(super) method: String,
    pub(super) params: Option<RawJson>,
    pub(super) answer: oneshot::Sender<Result<RawJson, ErrorObject>>,
}

impl CallInFlight {
    pub(super) fn context(&self) -> Context {
        lock(&self.request).context.clone()
    }

    /// Keeps progress and log messages from now on, because the request is answered with questions.
    pub(super) fn park(&self) {
        lock(&self.request).missed = Some(Vec::new());
    }

    /// Continues a parked call with the next request, which gets the notifications that were kept.
    pub(super) fn continue_with(&self, context: &Context) {
        let mut request = lock(&self.request);
        request.context = context.clone();
        let missed = request.missed.take().unwrap_or_default();
        for (method, params) in missed {
            self.pass_on(&request.context, method, params.as_raw());
        }
    }

    /// Passes on progress or a log message, or keeps it while the call is parked.
    fn notify(&self, method: &'static str, params: RawJsonRef<'_>) {
        let mut request = lock(&self.request);
        let CallerRequest { context, missed } = &mut *request;
        let Some(missed) = missed else {
            return self.pass_on(context, method, params);
        };
        let bytes: usize = missed.iter().map(|(_, it)| it.get().len()).sum();
        if bytes + params.get().len() <= MAX_QUEUED_BYTES {
            missed.push((method, params.into()));
        }
    }

    /// Sends progress or a log message to the caller, if its request wants it.
    fn pass_on(&self, context: &Context, method: &str, params: RawJsonRef<'_>) {
        let peer = context.peer();
        if method == methods::NOTIFICATIONS_PROGRESS {
            if let Some(token) = context.progress_token() {
                // The caller knows the progress by its own token.
                let params = with(&params.into(), &[PROGRESS_TOKEN], token);
                send(peer, method, Some(params.as_raw()), false);
            }
        } else if self.questions.is_none() || context.wants_logs() {
            send(peer, method, Some(params), false);
        }
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
            request: Mutex::new(CallerRequest {
                context: context.clone(),
                missed: None,
            }),
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

    /// The call that was sent to the server with this id.
    fn sent_as(&self, id: i64) -> Option<Arc<CallInFlight>> {
        let mut calls = self.calls().into_iter();
        calls.find(|it| it.id.load(Ordering::Acquire) == id)
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
            methods::NOTIFICATIONS_PROGRESS => {
                let id = raw.member(PROGRESS_TOKEN);
                if let Some(call) = id.and_then(|id| self.sent_as(id.parse().ok()?)) {
                    call.notify(methods::NOTIFICATIONS_PROGRESS, raw);
                }
                return;
            }
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
            let params = params.unwrap_or(RawJsonRef::empty_object());
            return call.notify(methods::NOTIFICATIONS_MESSAGE, params);
        }
        for caller in self.callers() {
            caller.hear(method, params);
        }
    }

    /// Passes on a notification of the subscription `id`, which is a call of `subscriptions/listen`.
    fn listened(&self, id: i64, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(call) = self.sent_as(id) {
            let context = call.context();
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
