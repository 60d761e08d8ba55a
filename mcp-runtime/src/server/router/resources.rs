//! The methods about resources.

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::resources::Listing;
use crate::server::{Answer, Reply};

impl Router {
    pub(super) fn read_resource(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let revision = request.terms.revision;
        let reply = self
            .resources
            .read(request.params, revision, request.context())?;
        Ok(self.written(reply, request))
    }

    pub(super) fn list_resources(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        request.refuse_cursor()?;
        Ok(match self.resources.list(request.terms.revision) {
            Listing::Prepared(list) => self.prepared(list, request),
            Listing::Made(list) => {
                let reply = Reply::Pending(Box::pin(async { Ok(list.await) }));
                self.written(reply, request)
            }
        })
    }

    pub(super) fn list_resource_templates(
        &self,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        request.refuse_cursor()?;
        Ok(self.prepared(self.resources.templates(request.terms.revision), request))
    }
}
