//! A request that may be served.

use std::sync::Arc;

use mcp_types::{RawJson, RawJsonRef, RequestId};

use crate::connection::Peer;
use crate::error::RequestError;
use crate::protocol::{Negotiated, decode_param};
use crate::server::ask::{Retry, Start};
use crate::server::{Context, Session};

/// One request, as far as the lifecycle admitted it.
#[derive(Clone, Copy)]
pub(in crate::server) struct Admitted<'a> {
    pub(in crate::server) id: &'a RequestId,
    pub(in crate::server) method: &'a str,
    pub(in crate::server) params: Option<RawJsonRef<'a>>,
    pub(in crate::server) negotiated: &'a Arc<Negotiated>,
    pub(in crate::server) peer: &'a Peer,
    pub(in crate::server) session: &'a Arc<Session>,
    pub(in crate::server) start: &'a Start<'a>,
}

impl<'a> Admitted<'a> {
    /// Makes the context of the request, once its `_meta` and what a retry brings have been found.
    pub(super) fn context(
        &self,
    ) -> impl FnOnce(Option<RawJsonRef<'_>>, Retry<'_>) -> Result<&'a Context, RequestError> {
        |meta, retry| self.start.context(*self, meta, retry)
    }

    /// A context that knows nothing of earlier rounds.
    pub(in crate::server) fn new_context(&self, meta: Option<RawJsonRef<'_>>) -> Context {
        Context::new(
            self.id.clone(),
            Arc::clone(self.negotiated),
            meta.map(RawJson::from),
            self.peer.clone(),
            Arc::clone(self.session),
        )
    }

    /// Where the list that is asked for goes on; at its beginning, if nowhere else.
    ///
    /// # Errors
    ///
    /// When the parameters are not those of a list.
    pub(super) fn cursor(&self) -> Result<Option<String>, RequestError> {
        decode_param(self.params, "cursor")
    }

    /// The context of a request that concerns callers differently, if `it_does`.
    pub(super) fn context_if(&self, it_does: bool) -> Result<Option<Context>, RequestError> {
        it_does.then(|| self.own_context()).transpose()
    }

    /// The context of a request whose parameters nobody else reads.
    pub(super) fn own_context(&self) -> Result<Context, RequestError> {
        let meta = decode_param(self.params, "_meta")?;
        Ok(self.new_context(meta))
    }
}
