//! Translates between the eras: requests, results, questions and subscriptions.

use std::sync::{Arc, Weak};

use mcp_types::jsonrpc::code;
use mcp_types::{
    CallToolRequest, CompleteRequest, Conform, DiscoverResult, ErrorObject, GetPromptRequest,
    Implementation, InitializeResult, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListToolsRequest, ListToolsResult, OrderedMap, RawJson, RawJsonRef,
    ReadResourceRequest, Request, Revision, ServerNotification, SubscriptionFilter, meta_keys,
    methods,
};
use serde::Serialize;
use tokio::sync::mpsc;

use super::link::Link;
use super::parked::responses;
use super::pool::Lease;
use super::routes::{InFlight, PendingQuestion, announcement, of_subscription, send, with};
use super::{Caller, ProxyServer, to_error};
use crate::client::request_meta;
use crate::connection::{BoxFuture, join_all};
use crate::error::{CallError, RequestError};
use crate::limits::{FOREVER, MAX_QUESTION_ROUNDS};
use crate::protocol::{Change, RESOURCE_NOT_FOUND, Timeouts, accepted_lists};
use crate::server::Context;
use crate::server::tools::listed_schemas;
use crate::sync::lock;

type Members = OrderedMap<RawJson>;

/// The members of a caller's `_meta` that only the stateless era has.
const STATELESS_META: [&str; 4] = [
    meta_keys::PROTOCOL_VERSION,
    meta_keys::CLIENT_INFO,
    meta_keys::CLIENT_CAPABILITIES,
    meta_keys::LOG_LEVEL,
];

/// The results that say how long they may be cached in the stateless era.
const CACHEABLE: [&str; 6] = [
    methods::SERVER_DISCOVER,
    methods::TOOLS_LIST,
    methods::PROMPTS_LIST,
    methods::RESOURCES_LIST,
    methods::RESOURCES_TEMPLATES_LIST,
    methods::RESOURCES_READ,
];

/// A call of a stateless caller to a server of the handshake era, which may ask questions.
pub(super) struct Asking {
    method: String,
    lease: Lease,
    in_flight: InFlight,
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
        let caller = ProxyServer::stateless_caller();
        let in_flight = lease.link.routes.begin(caller, context, Some(asks));
        let call = Arc::clone(&in_flight.call);
        let link = Arc::clone(&lease.link);
        let params = to_handshake(params);
        let level = context.meta().and_then(|meta| {
            let level = meta.as_raw().member(meta_keys::LOG_LEVEL)?;
            level.parse::<String>().ok()
        });
        let wants_progress = context.progress_token().is_some();
        let sent = method.to_owned();
        let result = async move {
            if let Some(level) = level {
                link.set_level(&level).await;
            }
            let on_sent = |id| call.sent_as(id);
            link.send(&sent, &params, "", wants_progress, on_sent).await
        };
        Self {
            method: method.to_owned(),
            lease,
            in_flight,
            result: Box::pin(result),
            questions,
            asked: OrderedMap::new(),
            last_key: 0,
        }
    }

    /// Answers the questions that the caller has answered in its retry.
    pub(super) fn answer(&mut self, params: RawJsonRef<'_>, context: &Context) {
        self.in_flight.call.continue_with(context);
        for (key, response) in responses(params) {
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
        proxy: &ProxyServer,
        binding: u64,
    ) -> Result<RawJson, ErrorObject> {
        while self.asked.is_empty() {
            tokio::select! {
                biased;
                result = &mut self.result => {
                    let result = result.map_err(|error| stateless_error(&self.method, error))?;
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
        let state = proxy.parked.park(binding, self);
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

/// Sends the request of a client with a handshake to a stateless server, and asks the client what the
/// server asks.
///
/// # Errors
///
/// The error of the server or of the client, or the reason why there is no answer.
pub(super) async fn call_stateless(
    (caller, index): (&Arc<Caller>, usize),
    link: &Arc<Link>,
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
                caller.revision(),
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
    link: &Link,
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
    link: &Arc<Link>,
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

/// Tells a client with a handshake about the changes that a stateless server announces.
pub(super) async fn follow(caller: Weak<Caller>, link: Arc<Link>, filter: SubscriptionFilter) {
    let offered = link.client.server_capabilities();
    let names_resources = filter.resource_subscriptions.is_some();
    if !names_resources && accepted_lists(&filter, &offered) == SubscriptionFilter::new() {
        return;
    }
    let following = async {
        let mut subscription = link.client.subscribe_to(filter).await?;
        while let Some(notification) = subscription.next().await? {
            let Some(caller) = caller.upgrade() else {
                break;
            };
            if let Some(change) = Change::by(&notification) {
                let (method, params) = announcement(change);
                let params = params.map(|it| link.routes.names.notification(method, it));
                caller.hear(method, params.as_ref().map(RawJson::as_raw));
            }
        }
        Ok::<_, CallError>(())
    };
    if let Err(error) = following.await {
        crate::log::warn!(%error, "the changes of a server can't be passed on any longer");
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
    let mut accepted = SubscriptionFilter::new();
    let mut subscriptions = Vec::new();
    let mut refused = None;
    for (lease, params) in &servers {
        let filter = params.as_raw().member("notifications");
        let filter = filter.and_then(|filter| filter.parse().ok());
        let subscribing = lease.link.client.subscribe_to(filter.unwrap_or_default());
        match subscribing.await {
            Ok(subscription) => {
                let names = &lease.link.routes.names;
                let part = acknowledgement(subscription.accepted());
                add(&mut accepted, &names.notification(ACKNOWLEDGED, part));
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
    deliver(ACKNOWLEDGED, &acknowledgement(&accepted));
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
    let mut result = OrderedMap::from([("resultType".to_owned(), RawJson::encode("complete"))]);
    result.insert("_meta".to_owned(), RawJson::empty_object());
    Ok(of_subscription(&RawJson::encode(&result), id))
}

fn acknowledgement(accepted: &SubscriptionFilter) -> RawJson {
    RawJson::encode(&OrderedMap::from([("notifications".to_owned(), accepted)]))
}

/// Adds what a server has accepted to what the others have.
fn add(accepted: &mut SubscriptionFilter, acknowledged: &RawJson) {
    let part = acknowledged.as_raw().member("notifications");
    let Some(Ok(part)) = part.map(RawJsonRef::parse::<SubscriptionFilter>) else {
        return;
    };
    for (ours, theirs) in [
        (&mut accepted.tools_list_changed, part.tools_list_changed),
        (
            &mut accepted.prompts_list_changed,
            part.prompts_list_changed,
        ),
        (
            &mut accepted.resources_list_changed,
            part.resources_list_changed,
        ),
    ] {
        *ours = (*ours).or(theirs);
    }
    if let Some(uris) = part.resource_subscriptions {
        let ours = &mut accepted.resource_subscriptions;
        ours.get_or_insert_default().extend(uris);
    }
    accepted.extra.extend(part.extra);
}

/// The method and the parameters of a notification.
fn parts(notification: &ServerNotification) -> Option<(String, RawJson)> {
    let notification = RawJson::encode(notification);
    let method = notification.as_raw().member("method")?.parse().ok()?;
    let params = notification.as_raw().member("params");
    let params = params.unwrap_or(RawJsonRef::empty_object());
    Some((method, params.into()))
}

/// What a stateless server says of itself, as the answer to `initialize`.
pub(super) fn initialize_result(discovered: &RawJson, revision: Revision) -> RawJson {
    let found = discovered.parse::<DiscoverResult>();
    let found = found.unwrap_or_else(|_| DiscoverResult::new(Default::default(), [""; 0]));
    let info = found.meta.and_then(|meta| meta.server_info);
    let info = info.unwrap_or_else(|| Implementation::new("", ""));
    let mut result = InitializeResult::new(revision.as_str(), found.capabilities, info);
    result.instructions = found.instructions;
    result.conform(revision);
    RawJson::encode(&result)
}

/// What a server of the handshake era says of itself, as the answer to `server/discover`.
pub(super) fn discover_result(link: &Link) -> RawJson {
    let opened = link.opened();
    let mut members: Members = opened.parse().unwrap_or_default();
    members.retain(|name, _| matches!(&**name, "capabilities" | "instructions"));
    if let Some(capabilities) = members.get_mut("capabilities")
        && let Ok(mut declared) = capabilities.parse::<Members>()
    {
        // The stateless era has no such tasks.
        declared.shift_remove("tasks");
        *capabilities = RawJson::encode(&declared);
    }
    let versions = [Revision::LATEST.as_str()];
    members.insert("supportedVersions".into(), RawJson::encode(&versions));
    to_stateless(methods::SERVER_DISCOVER, &RawJson::encode(&members), link)
}

/// Removes what a server of the handshake era does not know from the parameters of a request.
fn to_handshake(params: &RawJson) -> RawJson {
    let Ok(mut members) = params.parse::<Members>() else {
        return params.clone();
    };
    members.retain(|name, _| !matches!(&**name, "inputResponses" | "requestState"));
    let meta = members.get("_meta").map(RawJson::parse::<Members>);
    if let Some(Ok(mut meta)) = meta {
        meta.retain(|name, _| !STATELESS_META.contains(&&**name));
        set_meta(&mut members, &meta);
    }
    RawJson::encode(&members)
}

/// Adds what results of the stateless era must have.
fn to_stateless(method: &str, result: &RawJson, link: &Link) -> RawJson {
    let Ok(mut members) = result.parse::<Members>() else {
        return result.clone();
    };
    let mut add = |name: &str, value: &RawJson| {
        members
            .entry(name.to_owned())
            .or_insert_with(|| value.clone());
    };
    add("resultType", &RawJson::encode("complete"));
    if CACHEABLE.contains(&method) {
        add("ttlMs", &RawJson::encode(&0));
        add("cacheScope", &RawJson::encode("private"));
    }
    let result = RawJson::encode(&members);
    match link.opened().as_raw().member("serverInfo") {
        Some(info) => with(&result, &["_meta", meta_keys::SERVER_INFO], info),
        None => result,
    }
}

/// Adapts the result of a stateless server to a revision with a handshake.
fn from_stateless(
    method: &str,
    params: &RawJson,
    result: RawJson,
    revision: Revision,
    link: &Link,
) -> RawJson {
    let result = match method {
        methods::TOOLS_LIST => with_wrapped_schemas(result, link),
        methods::TOOLS_CALL => with_wrapped_content(params, result, link),
        _ => result,
    };
    let result = without_server(result);
    let conformed = match method {
        methods::TOOLS_CALL => conformed::<CallToolRequest>(&result, revision),
        methods::TOOLS_LIST => conformed::<ListToolsRequest>(&result, revision),
        methods::PROMPTS_LIST => conformed::<ListPromptsRequest>(&result, revision),
        methods::PROMPTS_GET => conformed::<GetPromptRequest>(&result, revision),
        methods::RESOURCES_LIST => conformed::<ListResourcesRequest>(&result, revision),
        methods::RESOURCES_TEMPLATES_LIST => {
            conformed::<ListResourceTemplatesRequest>(&result, revision)
        }
        methods::RESOURCES_READ => conformed::<ReadResourceRequest>(&result, revision),
        methods::COMPLETION_COMPLETE => conformed::<CompleteRequest>(&result, revision),
        _ => None,
    };
    conformed.unwrap_or(result)
}

/// Removes the name of the server, which results of the handshake era do not have.
fn without_server(result: RawJson) -> RawJson {
    let mut members: Members = result.parse().unwrap_or_default();
    let Some(Ok(mut meta)) = members.get("_meta").map(RawJson::parse::<Members>) else {
        return result;
    };
    meta.shift_remove(meta_keys::SERVER_INFO);
    set_meta(&mut members, &meta);
    RawJson::encode(&members)
}

/// Replaces `_meta`, or removes it if it is empty.
fn set_meta(members: &mut Members, meta: &Members) {
    if meta.is_empty() {
        members.shift_remove("_meta");
    } else {
        members.insert("_meta".into(), RawJson::encode(meta));
    }
}

fn conformed<R>(result: &RawJson, revision: Revision) -> Option<RawJson>
where
    R: Request<Result: Conform + Serialize>,
{
    let mut result: R::Result = result.parse().ok()?;
    result.conform(revision);
    Some(RawJson::encode(&result))
}

/// Wraps the output schemas that allow more than objects, and remembers their tools.
fn with_wrapped_schemas(result: RawJson, link: &Link) -> RawJson {
    let Ok(mut list) = result.parse::<ListToolsResult>() else {
        return result;
    };
    for tool in &mut list.tools {
        let schema = tool.output_schema.as_ref().and_then(|it| it.parse().ok());
        if let Some((_, Some(wrapped))) = schema.map(listed_schemas) {
            tool.output_schema = Some(wrapped);
            lock(&link.wrapped).insert(tool.name.clone());
        }
    }
    RawJson::encode(&list)
}

/// Wraps structured content that is not an object, or whose tool has a wrapped schema.
fn with_wrapped_content(params: &RawJson, result: RawJson, link: &Link) -> RawJson {
    let Some(content) = result.as_raw().member("structuredContent") else {
        return result;
    };
    let name = params.as_raw().member("name");
    let name: String = name.and_then(|it| it.parse().ok()).unwrap_or_default();
    if content.is_object() && !lock(&link.wrapped).contains(&name) {
        return result;
    }
    let wrapped = RawJson::encode(&OrderedMap::from([("result".to_owned(), content)]));
    with(&result, &["structuredContent"], wrapped)
}

/// Gives the error about a missing resource the code of the stateless era.
fn stateless_error(method: &str, mut error: ErrorObject) -> ErrorObject {
    if method == methods::RESOURCES_READ && error.code == RESOURCE_NOT_FOUND {
        error.code = code::INVALID_PARAMS;
    }
    error
}

/// Gives the error about a missing resource the code of the handshake era.
fn handshake_error(method: &str, mut error: ErrorObject) -> ErrorObject {
    let names_uri = |data: &RawJson| data.as_raw().member("uri").is_some();
    let is_missing = error.code == code::INVALID_PARAMS;
    if method == methods::RESOURCES_READ && is_missing && error.data.as_ref().is_some_and(names_uri)
    {
        error.code = RESOURCE_NOT_FOUND;
    }
    error
}
