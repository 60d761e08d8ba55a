//! Requests that the lifecycle has admitted.

use mcp_types::RawJson;

use crate::error::RequestError;
use crate::protocol::RequestParams;
use crate::server::Context;

/// An admitted request and its context. The parameters are borrowed from the frame.
#[derive(Clone, Copy)]
pub(crate) struct ServerRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a RequestParams<'a>,
    /// The parameters as received, before a layer could replace them. HTTP headers repeat these
    /// parameters, and the request state belongs to them.
    pub(in crate::server) received: &'a RequestParams<'a>,
    pub(crate) context: &'a Context,
    /// The number of clones of the context before the handler is called, for
    /// [`keeps_context`](Self::keeps_context). 0 if another owner may drop a clone meanwhile.
    pub(in crate::server) context_clones: usize,
}

/// A request that outlives its frame.
pub(in crate::server) struct OwnedRequest {
    method: Box<str>,
    params: Option<RawJson>,
    /// The parameters as received, if a layer has replaced them.
    received: Option<RawJson>,
    pub(in crate::server) context: Context,
}

impl ServerRequest<'_> {
    /// Returns true if the future of the handler may hold a clone of the context.
    ///
    /// A handler without the context can't ask, log or report progress while it waits, so its future
    /// need not be wrapped. This saves four allocations: the method, the parameters, and the boxes
    /// of two wrapping futures (for the rounds of questions, and for the end of the call).
    pub(in crate::server) fn keeps_context(&self) -> bool {
        self.context.clones() > self.context_clones
    }

    pub(in crate::server) fn to_owned(self) -> OwnedRequest {
        OwnedRequest {
            method: self.method.into(),
            params: self.params.raw.map(RawJson::from),
            received: if std::ptr::eq(self.params, self.received) {
                None
            } else {
                self.received.raw.map(RawJson::from)
            },
            context: self.context.clone(),
        }
    }
}

impl OwnedRequest {
    pub(in crate::server) fn method(&self) -> &str {
        &self.method
    }

    pub(in crate::server) fn params(&self) -> Result<RequestParams<'_>, RequestError> {
        RequestParams::read(self.params.as_ref().map(RawJson::as_raw))
    }

    /// The parameters as received, which are `params` unless a layer has replaced them.
    pub(in crate::server) fn received<'a>(
        &'a self,
        params: &RequestParams<'a>,
    ) -> Result<RequestParams<'a>, RequestError> {
        match &self.received {
            None => Ok(*params),
            Some(received) => RequestParams::read(Some(received.as_raw())),
        }
    }

    pub(in crate::server) fn borrow<'a>(
        &'a self,
        params: &'a RequestParams<'a>,
        received: &'a RequestParams<'a>,
    ) -> ServerRequest<'a> {
        ServerRequest {
            method: &self.method,
            params,
            received,
            context: &self.context,
            context_clones: 0,
        }
    }
}
