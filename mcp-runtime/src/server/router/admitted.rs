//! A request that may be served.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::{RawJson, RequestId};

use crate::connection::Peer;
use crate::error::RequestError;
use crate::protocol::{Negotiated, RequestParams};
use crate::server::ask::Start;
use crate::server::{Context, Session};

/// One request, as far as the lifecycle admitted it.
#[derive(Clone, Copy)]
pub(in crate::server) struct Admitted<'a> {
    pub(in crate::server) id: &'a RequestId,
    pub(in crate::server) method: &'a str,
    pub(in crate::server) params: &'a RequestParams<'a>,
    pub(in crate::server) negotiated: &'a Arc<Negotiated>,
    pub(in crate::server) peer: &'a Peer,
    pub(in crate::server) session: &'a Arc<Session>,
    pub(in crate::server) start: &'a Start<'a>,
}

impl<'a> Admitted<'a> {
    /// The context of the request, which knows of earlier rounds.
    ///
    /// # Errors
    ///
    /// When what a retry brings can't be read, or does not belong to this call.
    pub(in crate::server) fn context(&self) -> Result<&'a Context, RequestError> {
        self.start.context(*self)
    }

    /// A context that knows nothing of earlier rounds.
    pub(in crate::server) fn new_context(&self) -> Context {
        Context::new(
            self.id.clone(),
            Arc::clone(self.negotiated),
            self.params.raw_meta().map(RawJson::from),
            self.peer.clone(),
            Arc::clone(self.session),
        )
    }

    /// The cursor of a request for a list.
    ///
    /// # Errors
    ///
    /// When the parameters are not those of a list.
    pub(super) fn cursor(&self) -> Result<Option<Cow<'a, str>>, RequestError> {
        self.params.cursor()
    }
}
