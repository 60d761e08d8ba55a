//! Calls of tools that were detached, and are made again.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::{
    ClientCapabilities, Implementation, RawJson, RawJsonRef, RequestId, Revision, methods,
};
use serde::Serialize;

use super::{Context, Detached, DetachedCall, IncomingRequest};
use crate::ProtocolError;
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::{Negotiated, RequestParams};
use crate::server::dispatch::ServerRequest;
use crate::server::{Answer, Server};
use crate::values::Values;

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

impl Server {
    /// Makes a call again that was detached, through the layers of the server: what its handler asks and reports
    /// goes to `call`, which has the answers and values of the call before. Scopes are not checked
    /// once more. Dropping the future drops the handler.
    ///
    /// # Errors
    ///
    /// The error of the call. The error of a tool is a result.
    pub async fn call_detached(
        &self,
        request: DetachedRequest,
        call: Arc<dyn DetachedCall>,
    ) -> Result<RawJson, ProtocolError> {
        let (_detached, peer) = Detached::from_the_start(call);
        let served = self.begin_detached(&request, &peer);
        let answer = match served.unwrap_or_else(|error| Served::Now(Err(error.to_error()))) {
            Served::Now(outcome) => outcome?,
            Served::Later(handler) | Served::Open(handler) => handler.await?,
        };
        let json = answer.bare_json().map(Cow::into_owned);
        let result = json.and_then(RawJson::from_text);
        result.map_err(|error| RequestError::UnsendableResult(error.to_string()).to_error())
    }

    fn begin_detached(
        &self,
        request: &DetachedRequest,
        peer: &Peer,
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
        let session = self.session();
        let incoming = IncomingRequest {
            id: &RequestId::Number(0),
            method: methods::TOOLS_CALL,
            params: Some(RawJsonRef::from(&params)),
            peer,
            session: &session,
        };
        let mut context = Context::new(self, incoming, Arc::new(negotiated), &received);
        context.set_values(&request.values);
        context.input_or_default();
        self.call(ServerRequest {
            method: methods::TOOLS_CALL,
            params: &received,
            received: &received,
            context: &context,
            owners: 0,
        })
    }
}
