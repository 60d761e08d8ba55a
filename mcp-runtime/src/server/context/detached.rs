//! Calls that go on after their request was answered, and calls that are made again afterwards.
//!
//! A layer replaces the context of a request by one that may be detached; the layer keeps the
//! [`Detachable`]. The function then reaches its client by a [`DetachableLink`], which the layer
//! cuts when it [detaches](Detachable::detach) the call. From then on what the function asks and
//! reports goes to the [`DetachedCall`] of the layer.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use mcp_types::{
    ClientCapabilities, Implementation, RawJson, RawJsonRef, RequestId, Revision, methods,
};
use serde::Serialize;

use super::detachable_link::DetachableLink;
use super::{CancellationToken, Context, DetachedCall, IncomingRequest};
use crate::ProtocolError;
use crate::connection::{Link, Peer, Served};
use crate::error::RequestError;
use crate::protocol::{Negotiated, RequestParams};
use crate::server::dispatch::ServerRequest;
use crate::server::input::{InputState, KeptInputs};
use crate::server::{Answer, Server};
use crate::values::Values;

/// The other end of a call's context, which can be detached from the request; made by
/// [`McpRequest::detachable`](crate::layer::McpRequest::detachable).
///
/// Kept until the call is detached or answered: dropped before, it cancels the call's
/// [token](Context::cancellation).
pub struct Detachable {
    context: Context,
    link: Arc<DetachableLink>,
}

impl Detachable {
    /// A context of the same request as `context` that may be detached from it, and its other end.
    /// Without `keeps_request`, handlers do not see the HTTP request, which is then released with
    /// its response.
    pub(in crate::server) fn of(context: &Context, keeps_request: bool) -> (Context, Self) {
        let peer = context.peer();
        let link = DetachableLink::new(Some(peer.clone()), OnceLock::new());
        let identity = if keeps_request {
            peer.shared_identity()
        } else {
            context.lasting_identity()
        };
        let peer = peer.rerouted(Arc::clone(&link) as Arc<dyn Link>, identity);
        let context = context.with_detachable(&link, peer);
        let detachable = Self {
            context: context.clone(),
            link,
        };
        (context, detachable)
    }

    /// Waits until the function is about to be entered: its arguments fit, and the questions that are
    /// parameters are answered. A call that fails before, or whose function returns without waiting,
    /// never gets there. The function has done nothing yet if this is polled with the future of the
    /// call, as `tokio::select!` does.
    pub async fn entered(&mut self) {
        self.link.entered().await;
    }

    /// What the call has got from its client so far: what a [`DetachedCall`] needs to
    /// [repeat](crate::Server::call_detached) it.
    #[must_use]
    pub fn inputs(&self) -> KeptInputs {
        let input = self.context.input();
        input.map(InputState::kept).unwrap_or_default()
    }

    /// Detaches the call: from now on its handler's questions, progress and log messages go to `call`,
    /// and the end of the request does not touch it. What it has asked before, and is not answered, is
    /// asked again.
    ///
    /// The context keeps revision, capabilities, principal, identity and values.
    pub fn detach(self, call: Arc<dyn DetachedCall>) -> Detached {
        self.context.finish_progress();
        self.link.cut(call);
        Detached(self.link.token.clone())
    }
}

impl Drop for Detachable {
    fn drop(&mut self) {
        if !self.context.is_detached() {
            self.context.end();
        }
    }
}

/// A call that was [detached](Detachable::detach). Dropped, it cancels the
/// [token](Context::cancellation) of the call; its handler is dropped by whoever polls it.
#[must_use = "dropping it cancels the call's token"]
pub struct Detached(CancellationToken);

impl Drop for Detached {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl fmt::Debug for Detached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detached").finish_non_exhaustive()
    }
}

impl fmt::Debug for Detachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detachable").finish_non_exhaustive()
    }
}

/// A call of a tool that was [detached](super::Detachable::detach), to be made again from its beginning,
/// perhaps in another process; see [`Server::call_detached`].
#[derive(Clone, Debug)]
pub struct DetachedRequest {
    /// The name of the tool, as [`Context::tool`] had it.
    pub tool: String,
    /// The arguments.
    pub arguments: RawJson,
    /// The revision of the protocol that the client spoke.
    pub revision: Revision,
    /// The capabilities of the client.
    pub capabilities: ClientCapabilities,
    /// The client's own name and version.
    pub client_info: Option<Implementation>,
    values: Values,
}

impl DetachedRequest {
    /// A call without capabilities and identity.
    #[must_use]
    pub fn new(tool: impl Into<String>, arguments: RawJson, revision: Revision) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            revision,
            capabilities: ClientCapabilities::new(),
            client_info: None,
            values: Values::default(),
        }
    }

    /// Leaves a value that handlers take as an identity: by [`Context::identity`], or as `&T`. The
    /// principal is a value of the type `Principal` of the HTTP transport.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(value);
    }
}

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: &'a RawJson,
}

/// Makes a call again that was detached.
///
/// # Errors
///
/// The error of the call.
pub(in crate::server) async fn call_detached(
    server: &Server,
    request: DetachedRequest,
    call: Arc<dyn DetachedCall>,
) -> Result<RawJson, ProtocolError> {
    let link = DetachableLink::new(None, OnceLock::from(call));
    let _detached = Detached(link.token.clone());
    let served = begin(server, &request, &link);
    let answer = match served.unwrap_or_else(|error| Served::Now(Err(error.to_error()))) {
        Served::Now(outcome) => outcome?,
        Served::Later(handler) | Served::Open(handler) => handler.await?,
    };
    let json = answer.bare_json().map(Cow::into_owned);
    let result = json.and_then(RawJson::from_text);
    result.map_err(|error| RequestError::UnsendableResult(error.to_string()).to_error())
}

fn begin(
    server: &Server,
    request: &DetachedRequest,
    link: &Arc<DetachableLink>,
) -> Result<Served<Answer>, RequestError> {
    let params = RawJson::encode(&Params {
        name: &request.tool,
        arguments: &request.arguments,
    });
    let negotiated = Negotiated {
        revision: request.revision,
        peer_info: request.client_info.clone(),
        peer_capabilities: request.capabilities.clone(),
        instructions: None,
    };
    let received = RequestParams::read(Some(RawJsonRef::from(&params)))?;
    let incoming = IncomingRequest {
        id: &RequestId::Number(0),
        method: methods::TOOLS_CALL,
        params: Some(RawJsonRef::from(&params)),
        peer: &Peer::over(Arc::clone(link) as Arc<dyn Link>),
        session: &server.session(),
    };
    let context = Context::new(server, incoming, Arc::new(negotiated), &received);
    let mut context = context.with_detachable(link, context.peer().clone());
    context.set_values(&request.values);
    server.call(ServerRequest {
        method: methods::TOOLS_CALL,
        params: &received,
        received: &received,
        context: &context,
        context_clones: 0,
    })
}
