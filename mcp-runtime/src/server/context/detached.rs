//! Calls that go on after their request was answered, and calls that are repeated later.
//!
//! A layer replaces the context of a request with a detachable context, and keeps the
//! [`Detachable`]. The function then reaches its client through a [`DetachableLink`], which the
//! layer cuts when it [detaches](Detachable::detach) the call. From then on, the function's
//! questions and reports go to the layer's [`DetachedCall`].

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

/// A handle to detach a call from its request, made by
/// [`McpRequest::detachable`](crate::layer::McpRequest::detachable).
///
/// Keep it until the call is detached or answered. Dropping it earlier cancels the call's
/// [token](Context::cancellation).
pub struct Detachable {
    context: Context,
    link: Arc<DetachableLink>,
}

impl Detachable {
    /// Returns a detachable context of the same request as `context`, and the handle to detach it.
    /// Without `keeps_request`, handlers do not see the HTTP request, so it is released with its
    /// response.
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

    /// Waits until the function is about to run: its arguments are valid, and the questions that
    /// are parameters are answered.
    ///
    /// This never completes for a call that fails earlier, or whose function returns without
    /// waiting. If this is polled in the same task as the future of the call, for example by
    /// `tokio::select!`, the function has not started when this returns.
    pub async fn entered(&mut self) {
        self.link.entered().await;
    }

    /// The answers and values that the call has received so far. They are needed to
    /// [repeat](crate::Server::call_detached) it.
    #[must_use]
    pub fn inputs(&self) -> KeptInputs {
        let input = self.context.input();
        input.map(InputState::kept).unwrap_or_default()
    }

    /// Detaches the call: from now on, its handler's questions, progress and log messages go to
    /// `call`, and the end of the request does not affect it.
    ///
    /// Questions that are still unanswered are asked again. The context keeps its revision,
    /// capabilities, principal, identity and values.
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

/// A call that was [detached](Detachable::detach).
///
/// Dropping it cancels the [token](Context::cancellation) of the call. It does not drop the
/// handler, which belongs to the code that polls it.
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

/// A tool call that was [detached](super::Detachable::detach) and can be repeated from the
/// beginning, possibly in another process. See [`Server::call_detached`].
#[derive(Clone, Debug)]
pub struct DetachedRequest {
    /// The name of the tool, as [`Context::tool`] returned it.
    pub tool: String,
    /// The arguments.
    pub arguments: RawJson,
    /// The revision of the protocol that the client spoke.
    pub revision: Revision,
    /// The capabilities of the client.
    pub capabilities: ClientCapabilities,
    /// The name and version that the client claims to have.
    pub client_info: Option<Implementation>,
    values: Values,
}

impl DetachedRequest {
    /// Creates a call without capabilities or identity.
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

    /// Inserts a value that handlers can take as an identity, with [`Context::identity`] or as
    /// `&T`.
    ///
    /// To set the principal, insert a `Principal` of the HTTP transport.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(value);
    }
}

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: &'a RawJson,
}

/// Repeats a call that was detached.
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
