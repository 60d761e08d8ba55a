//! The methods about resources.

use std::sync::Arc;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Refusal;
use crate::server::Answer;
use crate::server::resources::{Listing, Resources, Viewer};

impl Router {
    pub(super) fn read_resource(
        &self,
        resources: &Resources,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let revision = request.terms.revision;
        let reply = resources.read(request.params, revision, request.context())?;
        Ok(self.answered(reply, request, Answer::written))
    }

    pub(super) fn list_resources(
        &self,
        resources: &Arc<Resources>,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let context = request.context_if(resources.differ_by_caller())?;
        let viewer = Viewer::new(request.terms.revision, context.as_ref());
        Ok(match resources.list(cursor.as_deref(), viewer)? {
            Listing::Prepared(page) => self.prepared(page, request),
            Listing::Made(page) => self.answered(page, request, Answer::written),
        })
    }

    pub(super) fn list_resource_templates(
        &self,
        resources: &Resources,
        request: Admitted<'_>,
    ) -> Result<Served<Answer>, Refusal> {
        let cursor = request.cursor()?;
        let context = request.context_if(resources.differ_by_caller())?;
        let viewer = Viewer::new(request.terms.revision, context.as_ref());
        Ok(match resources.templates(cursor.as_deref(), viewer)? {
            Listing::Prepared(page) => self.prepared(page, request),
            Listing::Made(page) => self.written(page, request),
        })
    }
}
