//! Requests that the lifecycle has admitted.

use mcp_types::RawJson;

use super::Context;
use crate::error::RequestError;
use crate::protocol::RequestParams;

/// A request that was admitted, with its context. The parameters are borrowed from the frame.
#[derive(Clone, Copy)]
pub(super) struct ServerRequest<'a> {
    pub(super) method: &'a str,
    pub(super) params: &'a RequestParams<'a>,
    /// The parameters before any layer has replaced them, which headers repeat and state belongs to.
    pub(super) received: &'a RequestParams<'a>,
    pub(super) context: &'a Context,
    /// The number of clones of the context, beyond which a handler has kept one; 0 if others may
    /// drop theirs meanwhile.
    pub(super) owners: usize,
}

/// A request that outlives its frame.
pub(super) struct OwnedRequest {
    method: Box<str>,
    params: Option<RawJson>,
    /// The parameters before any layer has replaced them, if one has.
    received: Option<RawJson>,
    pub(super) context: Context,
}

impl ServerRequest<'_> {
    /// Returns true if the handler may have kept a clone of the context.
    pub(super) fn is_kept(&self) -> bool {
        self.context.owners() > self.owners
    }

    pub(super) fn to_owned(self) -> OwnedRequest {
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
    pub(super) fn method(&self) -> &str {
        &self.method
    }

    pub(super) fn params(&self) -> Result<RequestParams<'_>, RequestError> {
        RequestParams::read(self.params.as_ref().map(RawJson::as_raw))
    }

    /// The parameters before any layer has replaced them.
    pub(super) fn received<'a>(
        &'a self,
        params: &RequestParams<'a>,
    ) -> Result<RequestParams<'a>, RequestError> {
        match &self.received {
            None => Ok(*params),
            Some(received) => RequestParams::read(Some(received.as_raw())),
        }
    }

    pub(super) fn borrow<'a>(
        &'a self,
        params: &'a RequestParams<'a>,
        received: &'a RequestParams<'a>,
    ) -> ServerRequest<'a> {
        ServerRequest {
            method: &self.method,
            params,
            received,
            context: &self.context,
            owners: 0,
        }
    }
}
