//! Dispatch of a request: from the decision of the lifecycle to its handler.

use std::sync::Arc;

use mcp_types::{RawJson, RawJsonRef, RequestId};

use super::input;
use super::trace::Trace;
use super::{Answer, Context, Server, Session};
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::{Admission, RequestParams};

/// A request as it was received.
#[derive(Clone, Copy)]
pub(crate) struct IncomingRequest<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<RawJsonRef<'a>>,
    /// The client.
    pub(crate) peer: &'a Peer,
    /// The session of the client; that of all stateless clients for their requests.
    pub(crate) session: &'a Arc<Session>,
}

/// A request that was admitted, with its context. The parameters are borrowed from the frame.
#[derive(Clone, Copy)]
pub(super) struct ServerRequest<'a> {
    pub(super) method: &'a str,
    pub(super) params: &'a RequestParams<'a>,
    pub(super) context: &'a Context,
}

/// A request that outlives its frame.
pub(super) struct OwnedRequest {
    method: Box<str>,
    params: Option<RawJson>,
    pub(super) context: Context,
}

impl ServerRequest<'_> {
    pub(super) fn to_owned(self) -> OwnedRequest {
        OwnedRequest {
            method: self.method.into(),
            params: self.params.raw().map(RawJson::from),
            context: self.context.clone(),
        }
    }
}

impl OwnedRequest {
    pub(super) fn params(&self) -> Result<RequestParams<'_>, RequestError> {
        RequestParams::read(self.params.as_ref().map(RawJson::as_raw))
    }

    pub(super) fn borrow<'a>(&'a self, params: &'a RequestParams<'a>) -> ServerRequest<'a> {
        ServerRequest {
            method: &self.method,
            params,
            context: &self.context,
        }
    }
}

impl Server {
    /// Serves a request as the lifecycle decides: `admit` asks it.
    pub(crate) fn dispatch<'a>(
        &self,
        request: IncomingRequest<'_>,
        admit: impl FnOnce() -> Result<Admission<'a>, RequestError>,
    ) -> Served<Answer> {
        let trace = Trace::begin(request.id, request.method);
        let served = trace.in_scope(|| match admit()? {
            Admission::Serve(negotiated, params) => {
                trace.admitted(&negotiated, &params);
                let context = Context::new(request, negotiated, &params);
                self.call(ServerRequest {
                    method: request.method,
                    params: &params,
                    context: &context,
                })
            }
            Admission::Initialize(negotiated) => {
                let answer = self.router().initialize(&negotiated);
                Ok(Served::Now(Ok(answer)))
            }
            Admission::Ping => Ok(Served::Now(Ok(Answer::empty()))),
        });
        trace.end(served.unwrap_or_else(Served::from))
    }

    /// Calls the handler of a request: the one place where they meet.
    fn call(&self, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError> {
        let served = match input::may_ask(request.method) {
            true => input::run(self, request)?,
            false => self.router().serve(request)?,
        };
        Ok(request.context.end_with(served))
    }
}
