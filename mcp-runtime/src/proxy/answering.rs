//! Requests of clients with a handshake to stateless servers.

use std::sync::Arc;

use mcp_types::{ErrorObject, OrderedMap, RawJson, SubscriptionFilter, meta_keys, methods};

use super::caller::Caller;
use super::link::ServerLink;
use super::messages::with;
use super::to_error;
use super::translation::{from_stateless, handshake_error};
use crate::client::request_meta;
use crate::connection::join_all;
use crate::error::CallError;
use crate::limits::{FOREVER, MAX_QUESTION_ROUNDS};
use crate::protocol::{RequestParams, Timeouts};
use crate::server::Context;
use crate::server::input::elicit::unique_id;
use crate::sync::lock;

type Members = OrderedMap<RawJson>;

/// A request of a client to one of the servers.
#[derive(Clone, Copy)]
pub(super) struct ProxyCall<'a> {
    pub(super) index: usize,
    pub(super) method: &'a str,
    pub(super) params: &'a RawJson,
    pub(super) context: &'a Context,
    /// The client, unless it is stateless.
    pub(super) caller: Option<&'a Arc<Caller>>,
}

/// Sends the request of a client with a handshake to a stateless server, and passes the questions of
/// the server on to the client.
///
/// # Errors
///
/// The error of the server or of the client, or the reason why there is no answer.
pub(super) async fn call_stateless(
    call: ProxyCall<'_>,
    caller: &Arc<Caller>,
    link: &Arc<ServerLink>,
) -> Result<RawJson, ErrorObject> {
    let (method, params) = (call.method, call.params);
    match method {
        methods::PING => return Ok(RawJson::empty_object()),
        methods::LOGGING_SET_LEVEL => {
            let level = params.as_raw().member("level");
            *lock(&caller.log_level) = level.and_then(|level| level.parse().ok());
            return Ok(RawJson::empty_object());
        }
        methods::RESOURCES_SUBSCRIBE | methods::RESOURCES_UNSUBSCRIBE => {
            return subscribe(call, caller, link);
        }
        _ => {}
    }
    let mut meta = request_meta(&caller.introduction, link.revision());
    if let Some(level) = &*lock(&caller.log_level) {
        let level = RawJson::encode(level);
        meta.push_str(&format!(r#","{}":{level}"#, meta_keys::LOG_LEVEL));
    }
    let in_flight = link.routes.begin(caller.number, call.context, None);
    let mut params = params.clone();
    let mut rounds = 0;
    loop {
        let sent = link.send(&in_flight, method, &params, Some(&meta)).await;
        let result = sent.map_err(|error| handshake_error(method, error))?;
        if !result.is_input_required() {
            let revision = caller.listener.revision();
            return Ok(from_stateless(method, &params, result, revision, link));
        }
        if rounds == MAX_QUESTION_ROUNDS {
            let method = method.to_owned();
            return Err(to_error(CallError::TooManyRounds { method, rounds }));
        }
        params = answered(params, &result, link, call.context).await?;
        rounds += 1;
    }
}

/// Asks the client the questions of an `InputRequiredResult`, and returns the parameters with its
/// answers.
async fn answered(
    params: RawJson,
    required: &RawJson,
    link: &ServerLink,
    context: &Context,
) -> Result<RawJson, ErrorObject> {
    let required = required.as_raw();
    let requests = required.member("inputRequests");
    let requests: Members = requests.and_then(|it| it.parse().ok()).unwrap_or_default();
    let names = &link.routes.names;
    let asking = requests.values().map(|request| {
        let request = request.as_raw();
        let method = request.member("method");
        let method: String = method.and_then(|it| it.parse().ok()).unwrap_or_default();
        let asked = request.member("params");
        let asked = asked.map(|params| with_page_id(names.question(&method, params.into())));
        let peer = context.peer();
        Box::pin(async move {
            let limits = Timeouts::within(FOREVER);
            peer.ask(method.into(), asked.as_ref(), limits).await
        })
    });
    let answers = join_all(asking.collect()).await;
    let mut responses = OrderedMap::new();
    for (key, answer) in requests.into_keys().zip(answers) {
        responses.insert(key, names.answer(answer.map_err(to_error)?));
    }
    let mut members: Members = params.parse().unwrap_or_default();
    members.insert("inputResponses".into(), RawJson::encode(&responses));
    members.shift_remove("requestState");
    if let Some(state) = required.member("requestState") {
        members.insert("requestState".into(), state.into());
    }
    Ok(RawJson::encode(&members))
}

/// Adds the id that a question to open a page must have in the handshake era.
fn with_page_id(params: RawJson) -> RawJson {
    let mode = params.as_raw().member("mode");
    if mode.is_none_or(|mode| mode.get() != "\"url\"") {
        return params;
    }
    with(&params, &["elicitationId"], unique_id())
}

/// Subscribes a client with a handshake to a resource of a stateless server, or ends the
/// subscription.
fn subscribe(
    call: ProxyCall<'_>,
    caller: &Arc<Caller>,
    link: &Arc<ServerLink>,
) -> Result<RawJson, ErrorObject> {
    let params = RequestParams::read(Some(call.params.as_raw()))?;
    let uri = params.uri()?.into_owned();
    let key = (call.index, Some(uri.clone()));
    if call.method == methods::RESOURCES_UNSUBSCRIBE {
        caller.unsubscribe(&key);
        return Ok(RawJson::empty_object());
    }
    let filter = SubscriptionFilter::new().with_resource_subscriptions([uri]);
    caller.subscribe(key, link, filter)?;
    Ok(RawJson::empty_object())
}
