//! Requests on their way to a handler.

use mcp_types::RawJson;

use super::Context;
use crate::error::RequestError;
use crate::protocol::RequestParams;

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
            params: self.params.raw.map(RawJson::from),
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
