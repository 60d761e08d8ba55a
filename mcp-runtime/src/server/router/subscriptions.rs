//! The methods about what clients want to be told.

use mcp_types::{SubscribeRequestParams, UnsubscribeRequestParams};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, decode_params};
use crate::server::Answer;
use crate::server::announce::Announced;

impl Router {
    /// The changes that the server announces.
    pub(in crate::server) fn announced(&self) -> Announced {
        Announced::by(&self.capabilities)
    }

    pub(super) fn subscribe(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let params: SubscribeRequestParams = decode_params(request.params)?;
        let revision = request.terms.revision;
        self.resources.check_subscribable(&params.uri, revision)?;
        request.conversation.subscribe(&params.uri)?;
        Ok(Served::Now(Ok(Answer::empty())))
    }

    pub(super) fn unsubscribe(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let params: UnsubscribeRequestParams = decode_params(request.params)?;
        request.conversation.unsubscribe(&params.uri);
        Ok(Served::Now(Ok(Answer::empty())))
    }
}
