//! Requests of stateless clients to servers of the handshake era.

use std::convert::Infallible;
use std::sync::Arc;

use mcp_types::{
    ErrorObject, OrderedMap, RawJson, RawJsonRef, ServerNotification, SubscriptionFilter,
    meta_keys, methods,
};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::merge::union;
use super::messages::{of_subscription, send};
use super::parked::Parked;
use super::pool::{Lease, Pool};
use super::routes::{CallInFlight, PendingQuestion, next_caller};
use super::translation::{stateless_error, to_handshake, to_stateless};
use super::{Failure, to_error};
use crate::client::{Reconnect, Subscription, all_changes};
use crate::connection::{BoxFuture, join_all};
use crate::error::{CallError, RequestError};
use crate::server::Context;

/// A call of a stateless caller to a server of the handshake era, which may ask questions.
pub(super) struct Asking {
    method: String,
    lease: Lease,
    call: Arc<CallInFlight>,
    result: BoxFuture<Result<RawJson, ErrorObject>>,
    questions: mpsc::UnboundedReceiver<PendingQuestion>,
    /// The questions without an answer, by their keys.
    asked: OrderedMap<PendingQuestion>,
    last_key: u64,
}

impl Asking {
    /// Begins a call.
    pub(super) fn begin(lease: Lease, method: &str, params: &RawJson, context: &Context) -> Self {
        let (asks, questions) = mpsc::unbounded_channel();
        let routes = &lease.link.routes;
        let call = routes.begin(next_caller(), context, Some(asks));
        let in_flight = Arc::clone(&call);
        let link = Arc::clone(&lease.link);
        let params = to_handshake(params);
        let level = context.meta().and_then(|meta| {
            let level = meta.as_raw().member(meta_keys::LOG_LEVEL)?;
            level.parse::<String>().ok()
        });
        let sent = method.to_owned();
        let result = async move {
            if let Some(level) = level {
                link.set_level(&level).await;
            }
            link.send(&in_flight, &sent, &params, None).await
        };
        Self {
            method: method.to_owned(),
            lease,
            call,
            result: Box::pin(result),
            questions,
            asked: OrderedMap::new(),
            last_key: 0,
        }
    }

    /// Answers the questions that the caller has answered in its retry.
    pub(super) fn answer(&mut self, params: RawJsonRef<'_>, context: &Context) {
        self.call.continue_with(context);
        let responses = params.member("inputResponses");
        let responses: Option<OrderedMap<RawJson>> = responses.and_then(|it| it.parse().ok());
        for (key, response) in responses.into_iter().flatten() {
            if let Some(question) = self.asked.shift_remove(&key) {
                // Fails if the server no longer waits for the answer.
                let _ = question.answer.send(Ok(response));
            }
        }
    }

    /// Waits for the result, or for questions, which the caller gets as an `InputRequiredResult`.
    ///
    /// # Errors
    ///
    /// The error of the server, or the reason why there is no answer.
    pub(super) async fn outcome(
        mut self,
        parked: &Arc<Parked>,
        binding: u64,
    ) -> Result<RawJson, ErrorObject> {
        while self.asked.is_empty() {
            tokio::select! {
                biased;
                result = &mut self.result => {
                    let result = result.or_else(|error| stateless_error(&self.method, error))?;
                    return Ok(to_stateless(&self.method, &result, &self.lease.link));
                }
                Some(question) = self.questions.recv() => self.ask(question),
            }
        }
        while let Ok(question) = self.questions.try_recv() {
            self.ask(question);
        }
        let requests = self.asked.iter().map(|(key, question)| {
            let method = Some(RawJson::encode(&question.method));
            let members = [("method", method), ("params", question.params.clone())];
            let members = members.map(|(name, value)| Some((name.to_owned(), value?)));
            let members: OrderedMap<_> = members.into_iter().flatten().collect();
            (key.clone(), members)
        });
        let requests: OrderedMap<_> = requests.collect();
        self.call.park();
        let state = parked.park(binding, self);
        // `json!` would panic at numbers that only raw JSON can hold.
        let result = OrderedMap::from([
            ("resultType".to_owned(), RawJson::encode("input_required")),
            ("inputRequests".to_owned(), RawJson::encode(&requests)),
            ("requestState".to_owned(), RawJson::encode(&state)),
        ]);
        Ok(RawJson::encode(&result))
    }

    fn ask(&mut self, question: PendingQuestion) {
        if matches!(
            &*question.method,
            methods::ELICITATION_CREATE | methods::SAMPLING_CREATE_MESSAGE | methods::ROOTS_LIST
        ) {
            self.last_key += 1;
            self.asked.insert(self.last_key.to_string(), question);
        } else {
            let unknown = RequestError::UnknownMethod(question.method);
            let _ = question.answer.send(Err(unknown.to_error()));
        }
    }
}

/// Serves `subscriptions/listen` of a stateless client with a subscription at each of `servers`,
/// until all of them refuse. Each server comes with the parameters for it.
///
/// # Errors
///
/// When all servers refuse.
pub(super) async fn listen(
    servers: Vec<(&Arc<Pool>, Result<Lease, Failure>, RawJson)>,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    const ACKNOWLEDGED: &str = methods::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED;
    let deliver = |method: &str, params: &RawJson| {
        let params = of_subscription(params, context.request_id());
        send(context.peer(), method, Some(params.as_raw()), true);
    };
    let mut accepted = RawJson::from(json!({"notifications": {}}));
    let mut following = Vec::new();
    let mut refused = None;
    for (pool, lease, params) in servers {
        let filter = params.as_raw().member("notifications");
        let filter = filter.and_then(|filter| filter.parse().ok());
        let filter: SubscriptionFilter = filter.unwrap_or_default();
        let open = match subscribe(lease, &filter).await {
            Ok(open) => open,
            Err(error) => {
                refused.get_or_insert(error);
                continue;
            }
        };
        // A server that can't be reached now may offer everything later.
        let part = open.as_ref().map_or(&filter, |(_, it)| it.accepted());
        let part = json!({"notifications": part}).into();
        let part = pool.names.notification(ACKNOWLEDGED, part);
        accepted = union(accepted.as_raw(), part.as_raw());
        let tell = move |notification| {
            if let Some((method, params)) = parts(&notification) {
                deliver(&method, &pool.names.notification(&method, params));
            }
        };
        following.push(Box::pin(async move {
            let connect = || pool.for_request(methods::SUBSCRIPTIONS_LISTEN, context);
            follow(connect, &filter, open, tell).await
        }));
    }
    if let Some(error) = refused.filter(|_| following.is_empty()) {
        return Err(to_error(error));
    }
    deliver(ACKNOWLEDGED, &accepted);
    join_all(following).await;
    Ok(end_of_subscription(context))
}

/// The result of a subscription that the server has ended.
pub(super) fn end_of_subscription(context: &Context) -> RawJson {
    let result = json!({"resultType": "complete", "_meta": {}}).into();
    of_subscription(&result, context.request_id())
}

/// Subscribes at a server. Returns `None` if the server can't be reached now.
///
/// # Errors
///
/// When the server refuses.
pub(super) async fn subscribe(
    lease: Result<Lease, Failure>,
    filter: &SubscriptionFilter,
) -> Result<Option<(Lease, Subscription)>, CallError> {
    let Ok(lease) = lease else { return Ok(None) };
    match lease.link.client.subscribe_to(filter.clone()).await {
        Err(error) if error.is_transient() => Ok(None),
        subscribed => Ok(Some((lease, subscribed?))),
    }
}

/// Passes on what a server reports, until it refuses the subscription. After a loss, subscribes
/// again, and reports that everything may have changed.
pub(super) async fn follow<F: Future<Output = Result<Lease, Failure>>>(
    connect: impl Fn() -> F,
    filter: &SubscriptionFilter,
    mut open: Option<(Lease, Subscription)>,
    tell: impl Fn(ServerNotification),
) -> Result<Infallible, CallError> {
    let mut policy = Reconnect::default();
    let mut tries = 0;
    loop {
        if let Some((lease, subscription)) = &mut open {
            policy = lease.link.client.reconnect_policy();
            let begun = Instant::now();
            // A server ends its subscriptions before it is replaced.
            while let Ok(Some(notification)) = subscription.next().await {
                tell(notification);
            }
            if begun.elapsed() >= policy.stable_after {
                tries = 0;
            }
        }
        drop(open);
        sleep(policy.pause_before(tries)).await;
        tries += 1;
        open = subscribe(connect().await, filter).await?;
        let accepted = open.iter().map(|(_, it)| it.accepted());
        accepted.flat_map(all_changes).for_each(&tell);
    }
}

/// The method and the parameters of a notification.
fn parts(notification: &ServerNotification) -> Option<(String, RawJson)> {
    let notification = RawJson::encode(notification);
    let method = notification.as_raw().member("method")?.parse().ok()?;
    let params = notification.as_raw().member("params");
    let params = params.unwrap_or(RawJsonRef::empty_object());
    Some((method, params.into()))
}
