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
        let cursor = request.cursor()?;
        let revision = request.terms.revision;
        Ok(match self.resources.list(cursor.as_deref(), revision)? {
            Listing::Prepared(page) => self.prepared(page, request),
            Listing::Made(page) => self.written(Reply::Pending(page), request),
        })
    }

    pub(super) fn list_resource_templates(
        &self,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let revision = request.terms.revision;
        let page = self.resources.templates(cursor.as_deref(), revision)?;
        Ok(self.prepared(page, request))
    }
}
