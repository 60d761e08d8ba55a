//! Requests of stateless clients to servers of the handshake era.

use std::sync::Arc;

use mcp_types::{
    ErrorObject, OrderedMap, RawJson, RawJsonRef, ServerNotification, meta_keys, methods,
};
use serde_json::json;
use tokio::sync::mpsc;

use super::merge::union;
use super::messages::{of_subscription, send};
use super::parked::Parked;
use super::pool::Lease;
use super::routes::{CallInFlight, PendingQuestion, next_caller};
use super::to_error;
use super::translation::{stateless_error, to_handshake, to_stateless};
use crate::connection::{BoxFuture, join_all};
use crate::error::RequestError;
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
/// until all of them have ended. Each server comes with the parameters for it.
///
/// # Errors
///
/// When all servers refuse.
pub(super) async fn listen(
    servers: Vec<(Lease, RawJson)>,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    const ACKNOWLEDGED: &str = methods::NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED;
    let id = context.request_id();
    let deliver = |method: &str, params: &RawJson| {
        let params = of_subscription(params, id);
        send(context.peer(), method, Some(params.as_raw()), true);
    };
    let mut accepted = RawJson::from(json!({"notifications": {}}));
    let mut subscriptions = Vec::new();
    let mut refused = None;
    for (lease, params) in &servers {
        let filter = params.as_raw().member("notifications");
        let filter = filter.and_then(|filter| filter.parse().ok());
        let subscribing = lease.link.client.subscribe_to(filter.unwrap_or_default());
        match subscribing.await {
            Ok(subscription) => {
                let names = &lease.link.routes.names;
                let part = json!({"notifications": subscription.accepted()});
                let part = names.notification(ACKNOWLEDGED, part.into());
                accepted = union(accepted.as_raw(), part.as_raw());
                subscriptions.push((names, subscription));
            }
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    if let Some(error) = refused.filter(|_| subscriptions.is_empty()) {
        return Err(to_error(error));
    }
    deliver(ACKNOWLEDGED, &accepted);
    let following = subscriptions.into_iter().map(|(names, mut subscription)| {
        let deliver = &deliver;
        Box::pin(async move {
            while let Ok(Some(notification)) = subscription.next().await {
                let Some((method, params)) = parts(&notification) else {
                    continue;
                };
                deliver(&method, &names.notification(&method, params));
            }
        })
    });
    join_all(following.collect()).await;
    let result = json!({"resultType": "complete", "_meta": {}}).into();
    Ok(of_subscription(&result, id))
}

/// The method and the parameters of a notification.
fn parts(notification: &ServerNotification) -> Option<(String, RawJson)> {
    let notification = RawJson::encode(notification);
    let method = notification.as_raw().member("method")?.parse().ok()?;
    let params = notification.as_raw().member("params");
    let params = params.unwrap_or(RawJsonRef::empty_object());
    Some((method, params.into()))
}
