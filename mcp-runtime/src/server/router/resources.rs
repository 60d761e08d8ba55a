//! The methods about resources.

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::Answer;
use crate::server::resources::{Listing, Viewer};

impl Router {
    pub(super) fn read_resource(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let revision = request.terms.revision;
        let reply = self
            .resources
            .read(request.params, revision, request.context())?;
        Ok(self.answered(reply, request, Answer::written))
    }

    pub(super) fn list_resources(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let context = request.context_if(self.resources.differ_by_caller())?;
        let viewer = Viewer::new(request.terms.revision, context.as_ref());
        Ok(match self.resources.list(cursor.as_deref(), viewer)? {
            Listing::Prepared(page) => self.prepared(page, request),
            Listing::Made(page) => self.answered(page, request, Answer::written),
        })
    }

    pub(super) fn list_resource_templates(
        &self,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let context = request.context_if(self.resources.differ_by_caller())?;
        let viewer = Viewer::new(request.terms.revision, context.as_ref());
        Ok(match self.resources.templates(cursor.as_deref(), viewer)? {
            Listing::Prepared(page) => self.prepared(page, request),
            Listing::Made(page) => self.written(page, request),
        })
    }
}
