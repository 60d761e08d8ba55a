//! Serves the requests of a proxy's clients.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_types::{
    Era, ErrorObject, OrderedMap, RawJson, RawJsonRef, Revision, Side, error_codes, methods,
};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::answering::{ProxyCall, call_stateless};
use super::asking::{Asking, end_of_subscription, listen};
use super::caller::Caller;
use super::link::ServerLink;
use super::messages::{of_subscription, with};
use super::names::Names;
use super::parked::Parked;
use super::pool::Pool;
use super::routes::next_caller;
use super::translation;
use super::{Failure, Proxy, merge};
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::limits::PROXY_CLOSE;
use crate::protocol::{Negotiated, ParamHeader, StrictJson};
use crate::server::{Answer, RawServer, RawSession, ServerRequest, Session};
use crate::sync::lock;

/// The key of the question whether the user visits the page of a login.
const LOGIN: &str = "mcp-proxy-login";

/// A running proxy: its servers, and the calls that wait for answers.
pub(super) struct ProxyServer {
    pub(super) proxy: Arc<Proxy>,
    pub(super) pools: Vec<Arc<Pool>>,
    parked: Arc<Parked>,
    /// The arguments that headers repeat, of the tools that clients have listed.
    headers: Mutex<BTreeMap<String, Box<[ParamHeader]>>>,
    /// The number of endpoints at which the proxy is served.
    endpoints: AtomicUsize,
    /// Ends when all connections are closed.
    closed: tokio::sync::Mutex<mpsc::Receiver<Infallible>>,
}

impl ProxyServer {
    pub(super) fn new(proxy: Arc<Proxy>) -> Self {
        let (open, closed) = mpsc::channel(1);
        let upstreams = proxy.upstreams.iter();
        let pools = upstreams.map(|(prefix, upstream)| {
            let names = Names::new(&**prefix);
            Arc::new(Pool::new(upstream.clone(), names, open.clone()))
        });
        Self {
            pools: pools.collect(),
            proxy,
            parked: Arc::default(),
            headers: Mutex::default(),
            endpoints: AtomicUsize::new(0),
            closed: tokio::sync::Mutex::new(closed),
        }
    }

    /// Returns true for the proxy of one server, whose names have no prefix.
    fn is_alone(&self) -> bool {
        matches!(&self.pools[..], [pool] if pool.names.prefix().is_empty())
    }

    /// Counts an endpoint.
    pub(super) fn start(&self) {
        self.endpoints.fetch_add(1, Ordering::Relaxed);
    }

    /// At the end of the last endpoint, closes all connections, and waits until the programs of the
    /// servers have ended.
    pub(super) async fn shut_down(&self) {
        if self.endpoints.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        self.parked.clear();
        self.pools.iter().for_each(|pool| pool.close());
        let mut closed = self.closed.lock().await;
        // A program that does not end in time is killed with the proxy.
        let _ = timeout(PROXY_CLOSE, closed.recv()).await;
    }

    /// Answers `initialize` with what one server says of itself. Until a login, `own` has the other
    /// members of the answer.
    ///
    /// # Errors
    ///
    /// When the server can't be reached.
    pub(super) async fn introduce_one(
        &self,
        caller: &Arc<Caller>,
        index: usize,
        own: &RawJson,
    ) -> Result<RawJson, Failure> {
        let revision = caller.listener.revision();
        match caller.link(index).await {
            Ok(link) if link.era() == Era::Stateless => {
                Ok(translation::initialize_result(&link.opened(), revision))
            }
            Ok(link) => {
                if self.is_alone() {
                    caller.listener.agree(link.revision());
                }
                Ok(link.opened())
            }
            Err(Failure::Login(_)) => Ok(waiting(own)),
            Err(failure) => Err(failure),
        }
    }

    /// Begins to serve a request. `caller` is its client, unless that is stateless.
    ///
    /// # Errors
    ///
    /// When the request calls a hidden tool, or its headers do not repeat its arguments.
    pub(super) fn begin(
        self: Arc<Self>,
        request: ServerRequest<'_>,
        caller: Option<Arc<Caller>>,
    ) -> Result<Served<Answer>, RequestError> {
        if request.method == methods::TOOLS_CALL {
            self.check_tool(&request)?;
        }
        let method = request.method.to_owned();
        let params = request.params.raw;
        let params = params.map_or_else(RawJson::empty_object, RawJson::from);
        let context = request.context.clone();
        let is_listening = method == methods::SUBSCRIPTIONS_LISTEN;
        let answering = Box::pin(async move {
            let call = ProxyCall {
                index: 0,
                method: &method,
                params: &params,
                context: &context,
                caller: caller.as_ref(),
            };
            let answer = tokio::select! {
                biased;
                () = context.session().ended(), if is_listening => {
                    Ok(end_of_subscription(&context))
                }
                answer = self.answer(call) => answer,
            };
            // Of several servers, another one may have answered.
            context.settle_denied(answer.as_ref().err());
            Ok(Answer::relayed(answer?))
        });
        Ok(match is_listening {
            true => Served::Open(answering),
            false => Served::Later(answering),
        })
    }

    fn check_tool(&self, request: &ServerRequest<'_>) -> Result<(), RequestError> {
        let name = request.params.name()?;
        if !(self.proxy.offers)(&name) {
            return Err(RequestError::UnknownTool(name.into_owned()));
        }
        let headers = lock(&self.headers);
        let Some(headers) = headers.get(&*name) else {
            return Ok(());
        };
        let arguments = request.params.arguments()?;
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments")?;
        let link = &request.context.peer().link;
        link.check_headers(headers, &arguments)
    }

    async fn answer(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        let result = match self.is_alone() {
            true => self.call(call).await?,
            false => self.call_several(call).await?,
        };
        if call.method != methods::TOOLS_LIST {
            return Ok(result);
        }
        self.remember_headers(&result);
        Ok(merge::without_hidden(result, &*self.proxy.offers))
    }

    /// Remembers the arguments that headers must repeat.
    fn remember_headers(&self, list: &RawJson) {
        if !list.get().contains(ParamHeader::ANNOTATION) {
            return;
        }
        let tools = list.as_raw().member("tools");
        let tools = tools.and_then(|tools| tools.elements().ok());
        let mut headers = lock(&self.headers);
        for tool in tools.into_iter().flatten() {
            let name = tool.member("name").and_then(|name| name.parse().ok());
            let schema = tool.member("inputSchema").map(RawJson::from);
            if let Some((name, schema)) = name.zip(schema)
                && let Ok(annotated) = ParamHeader::of_schema(&schema)
            {
                headers.insert(name, annotated);
            }
        }
    }

    /// Sends a request to one server. The result fits the era of the client.
    ///
    /// # Errors
    ///
    /// The error of the server, or the reason why there is no answer.
    pub(super) async fn call(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        match self.try_call(call).await {
            Ok(result) => Ok(result),
            Err(Failure::Login(url)) => without_login(&call, url),
            Err(failure) => Err(failure.answer(call.context.peer())),
        }
    }

    async fn try_call(&self, call: ProxyCall<'_>) -> Result<RawJson, Failure> {
        let Some(caller) = call.caller else {
            return self.call_stateless(call).await;
        };
        let link = caller.link(call.index).await?;
        if link.era() == Era::Stateless {
            return Ok(call_stateless(call, caller, &link).await?);
        }
        let in_flight = link.routes.begin(caller.number, call.context, None);
        let sent = link.send(&in_flight, call.method, call.params, None);
        Ok(sent.await?)
    }

    /// Sends a request of a stateless client to a server.
    async fn call_stateless(&self, call: ProxyCall<'_>) -> Result<RawJson, Failure> {
        let (method, context) = (call.method, call.context);
        let pool = &self.pools[call.index];
        let params = call.params.as_raw();
        let binding = || self.parked.binding(call.index, method, params, context);
        let state = params.member("requestState");
        if let Some(ticket) = state.and_then(|state| state.parse::<String>().ok())
            && let Some(mut asking) = self.parked.take(&ticket, binding())
        {
            asking.answer(params, context);
            return Ok(asking.outcome(&self.parked, binding()).await?);
        }
        if state.is_some() && pool.needs_handshake() {
            return Err(RequestError::NotParked.into());
        }
        let lease = pool.for_request(method, context).await?;
        let link = &lease.link;
        match method {
            _ if link.era() == Era::Stateless => Ok(relay_stateless(&call, link).await?),
            methods::SERVER_DISCOVER => Ok(translation::discover_result(link)),
            methods::SUBSCRIPTIONS_LISTEN => {
                Ok(listen(vec![(pool, Ok(lease), call.params.clone())], context).await?)
            }
            _ if state.is_some() => Err(RequestError::NotParked.into()),
            _ if Revision::method(method).is_some()
                && !context.revision().allows(method, Side::Client) =>
            {
                Err(RequestError::UnknownMethod(method.to_owned()).into())
            }
            _ => {
                let asking = Asking::begin(lease, method, call.params, context);
                Ok(asking.outcome(&self.parked, binding()).await?)
            }
        }
    }
}

impl RawServer for ProxyServer {
    /// Connects a client to the servers, and answers with what they say of themselves.
    fn initialize(
        self: Arc<Self>,
        session: &Arc<Session>,
        peer: &Peer,
        params: Option<RawJsonRef<'_>>,
        negotiated: &Arc<Negotiated>,
        own: RawJson,
    ) -> Served<Answer> {
        let own = translation::initialize_result(&own, negotiated.revision);
        let (session, peer) = (Arc::clone(session), peer.clone());
        let introduction = params.and_then(|params| params.parse().ok());
        let introduction = introduction.unwrap_or_default();
        let pools = self.pools.clone();
        let caller = Caller::new(pools, session.number, introduction, negotiated);
        let caller = Arc::new(caller);
        session.set_raw(Arc::new(ProxySession {
            proxy: Arc::clone(&self),
            caller: Arc::clone(&caller),
        }));
        caller.connect(self.proxy.is_shared);
        Served::Later(Box::pin(async move {
            let introduced = match self.is_alone() {
                true => self.introduce_one(&caller, 0, &own).await,
                false => self.introduce_several(&caller, own).await,
            };
            caller.is_answered.store(true, Ordering::Release);
            session.set_refused(introduced.is_err());
            let answer = introduced.map(Answer::relayed);
            answer.map_err(|failure| failure.answer(&peer))
        }))
    }

    fn serve(self: Arc<Self>, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError> {
        self.begin(request, None)
    }
}

/// A client with a handshake.
struct ProxySession {
    proxy: Arc<ProxyServer>,
    caller: Arc<Caller>,
}

impl RawSession for ProxySession {
    fn begin(self: Arc<Self>, peer: &Peer) -> Arc<Negotiated> {
        let negotiated = self.caller.listener.begin(peer);
        self.caller.begin();
        negotiated
    }

    fn serve(self: Arc<Self>, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError> {
        let caller = Some(Arc::clone(&self.caller));
        Arc::clone(&self.proxy).begin(request, caller)
    }

    fn notification(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        self.caller.notify(method, params);
    }
}

/// Passes a request of a stateless client on to a stateless server.
async fn relay_stateless(call: &ProxyCall<'_>, link: &ServerLink) -> Result<RawJson, ErrorObject> {
    let context = call.context;
    let params = without_login_answer(call.params);
    let in_flight = link.routes.begin(next_caller(), context, None);
    let sent = link.send(&in_flight, call.method, &params, Some(""));
    let result = sent.await?;
    Ok(match call.method {
        methods::SUBSCRIPTIONS_LISTEN => of_subscription(&result, context.request_id()),
        _ => result,
    })
}

/// Completes the answer to `initialize` while a login is pending.
pub(super) fn waiting(own: &RawJson) -> RawJson {
    let changing = json!({"listChanged": true});
    let lists = json!({"tools": changing, "prompts": changing, "resources": changing});
    with(own, &["capabilities"], lists)
}

/// Answers a call while a login is pending: with an empty list, or by asking the user to log in.
///
/// # Errors
///
/// When the client can't be asked to open a URL.
fn without_login(call: &ProxyCall<'_>, url: String) -> Result<RawJson, ErrorObject> {
    if call.method == methods::PING {
        return Ok(RawJson::empty_object());
    }
    let Some(list) = merge::items(call.method) else {
        return ask_for_login(call, url);
    };
    let mut result = json!({list: []});
    if call.caller.is_none() {
        result["resultType"] = "complete".into();
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
    }
    Ok(result.into())
}

fn ask_for_login(call: &ProxyCall<'_>, url: String) -> Result<RawJson, ErrorObject> {
    let declared = call.context.client_capabilities().elicitation.as_ref();
    if declared.is_none_or(|declared| declared.url.is_none()) {
        return Err(RequestError::LoginRequired(url).to_error());
    }
    let page = json!({
        "mode": "url",
        "elicitationId": LOGIN,
        "url": url,
        "message": "Log in to the server. Then the call can be repeated.",
    });
    if call.caller.is_some() {
        let error = ErrorObject::new(
            error_codes::URL_ELICITATION_REQUIRED,
            RequestError::LoginRequired(url).to_string(),
        );
        return Err(error.with_data(json!({"elicitations": [page]})));
    }
    let request = json!({"method": methods::ELICITATION_CREATE, "params": page});
    Ok(json!({"resultType": "input_required", "inputRequests": {LOGIN: request}}).into())
}

/// Removes the answer to the question of the proxy, which the server does not know.
fn without_login_answer(params: &RawJson) -> RawJson {
    let answers = params.as_raw().member("inputResponses");
    if answers.is_none_or(|answers| answers.member(LOGIN).is_none()) {
        return params.clone();
    }
    let mut params: OrderedMap<RawJson> = params.parse().unwrap_or_default();
    params.shift_remove("inputResponses");
    RawJson::encode(&params)
}

impl fmt::Debug for ProxySession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxySession").finish_non_exhaustive()
    }
}

impl fmt::Debug for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyServer").finish_non_exhaustive()
    }
}
