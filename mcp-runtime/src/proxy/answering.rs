//! Requests of clients with a handshake to stateless servers.

use std::sync::Arc;

use mcp_types::{ErrorObject, OrderedMap, RawJson, SubscriptionFilter, meta_keys, methods};

use super::caller::Caller;
use super::link::ServerLink;
use super::to_error;
use super::translation::{from_stateless, handshake_error};
use crate::client::request_meta;
use crate::connection::{BoxFuture, join_all};
use crate::error::{CallError, RequestError};
use crate::limits::{FOREVER, MAX_QUESTION_ROUNDS};
use crate::protocol::Timeouts;
use crate::server::Context;
use crate::sync::lock;

type Members = OrderedMap<RawJson>;

/// Sends the request of a client with a handshake to a stateless server, and asks the client what the
/// server asks.
///
/// # Errors
///
/// The error of the server or of the client, or the reason why there is no answer.
pub(super) async fn call_stateless(
    (caller, index): (&Arc<Caller>, usize),
    link: &Arc<ServerLink>,
    method: &str,
    params: &RawJson,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    match method {
        methods::PING => return Ok(RawJson::empty_object()),
        methods::LOGGING_SET_LEVEL => {
            let level = params.as_raw().member("level");
            *lock(&caller.log_level) = level.and_then(|level| level.parse().ok());
            return Ok(RawJson::empty_object());
        }
        methods::RESOURCES_SUBSCRIBE | methods::RESOURCES_UNSUBSCRIBE => {
            return subscribe(caller, index, link, method, params).await;
        }
        _ => {}
    }
    let mut meta = request_meta(&caller.introduction, link.revision());
    if let Some(level) = &*lock(&caller.log_level) {
        let level = RawJson::encode(level);
        meta.push_str(&format!(r#","{}":{level}"#, meta_keys::LOG_LEVEL));
    }
    let in_flight = link.routes.begin(caller.number, context, None);
    let wants_progress = context.progress_token().is_some();
    let mut params = params.clone();
    for _ in 0..=MAX_QUESTION_ROUNDS {
        let on_sent = |id| in_flight.call.sent_as(id);
        let sending = link.send(method, &params, &meta, wants_progress, on_sent);
        let result = sending
            .await
            .map_err(|error| handshake_error(method, error))?;
        if !result.is_input_required() {
            return Ok(from_stateless(
                method,
                &params,
                result,
                caller.listener.revision(),
                link,
            ));
        }
        params = answered(params, &result, link, context).await?;
    }
    let rounds = u32::try_from(MAX_QUESTION_ROUNDS).unwrap_or(u32::MAX);
    Err(RequestError::TooManyRounds(rounds).to_error())
}

/// Asks the client the questions of an `InputRequiredResult`, and returns the parameters with its
/// answers.
async fn answered(
    params: RawJson,
    required: &RawJson,
    link: &ServerLink,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    let required: Members = required.parse().unwrap_or_default();
    let requests = required
        .get("inputRequests")
        .and_then(|it| it.parse::<Members>().ok());
    let requests = requests.unwrap_or_default();
    let asking = requests.iter().map(|(_, request)| {
        let member = |name| request.as_raw().member(name);
        let method: String = member("method")
            .and_then(|it| it.parse().ok())
            .unwrap_or_default();
        let asked = member("params");
        let asked = asked.map(|it| link.routes.names.question(&method, it.into()));
        let peer = context.peer().clone();
        let asking = async move {
            peer.ask(method.into(), asked.as_ref(), Timeouts::within(FOREVER))
                .await
        };
        Box::pin(asking) as BoxFuture<_>
    });
    let answers: Vec<Result<RawJson, CallError>> =
        join_all(asking.collect::<Vec<BoxFuture<_>>>()).await;
    let mut responses = OrderedMap::new();
    for (key, answer) in requests.into_keys().zip(answers) {
        let answer = answer.map_err(to_error)?;
        responses.insert(key, link.routes.names.answer(answer));
    }
    let mut members: Members = params.parse().unwrap_or_default();
    members.insert("inputResponses".into(), RawJson::encode(&responses));
    members.shift_remove("requestState");
    if let Some(state) = required.get("requestState") {
        members.insert("requestState".into(), state.clone());
    }
    Ok(RawJson::encode(&members))
}

/// Subscribes a client with a handshake to a resource of a stateless server, or ends the
/// subscription.
async fn subscribe(
    caller: &Arc<Caller>,
    index: usize,
    link: &Arc<ServerLink>,
    method: &str,
    params: &RawJson,
) -> Result<RawJson, ErrorObject> {
    let uri = params
        .as_raw()
        .member("uri")
        .and_then(|uri| uri.parse().ok());
    let uri: String = uri.ok_or_else(|| {
        let path = "params.uri".to_owned();
        let reason = "must be a string".to_owned();
        RequestError::InvalidParams { path, reason }.to_error()
    })?;
    let key = (index, Some(uri.clone()));
    if method == methods::RESOURCES_UNSUBSCRIBE {
        caller.unsubscribe(&key);
        return Ok(RawJson::empty_object());
    }
    let filter = SubscriptionFilter::new().with_resource_subscriptions([uri]);
    caller.subscribe(key, link, filter);
    Ok(RawJson::empty_object())
}
