//! A request that may be served.

use std::sync::Arc;

use mcp_types::{PaginatedRequestParams, RawJson, RawJsonRef, RequestId};

use crate::driver::Peer;
use crate::protocol::{Refusal, Terms, decode_params};
use crate::server::{Context, Conversation};

/// One request, as far as the lifecycle admitted it.
#[derive(Clone, Copy)]
pub(in crate::server) struct Admitted<'a> {
    pub(in crate::server) id: &'a RequestId,
    pub(in crate::server) method: &'a str,
    pub(in crate::server) params: Option<RawJsonRef<'a>>,
    pub(in crate::server) terms: &'a Arc<Terms>,
    pub(in crate::server) peer: &'a Peer,
    pub(in crate::server) conversation: &'a Arc<Conversation>,
}

impl Admitted<'_> {
    /// Makes the context of the request, once its `_meta` has been found.
    pub(super) fn context(&self) -> impl FnOnce(Option<RawJsonRef<'_>>) -> Context {
        |meta| {
            Context::new(
                self.id.clone(),
                Arc::clone(self.terms),
                meta.map(RawJson::from),
                self.peer.clone(),
                Arc::clone(self.conversation),
            )
        }
    }

    /// Refuses a cursor: lists have one page, so none was ever handed out.
    pub(super) fn refuse_cursor(&self) -> Result<(), Refusal> {
        if self.params.is_none() {
            return Ok(());
        }
        match decode_params::<PaginatedRequestParams>(self.params)?.cursor {
            None => Ok(()),
            Some(cursor) => Err(Refusal::InvalidParams {
                path: "params.cursor".to_owned(),
                reason: format!("`{cursor}` is no cursor that this server gave out"),
            }),
        }
    }
}
