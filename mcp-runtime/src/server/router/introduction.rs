//! How a server introduces itself.

use mcp_types::{DiscoverResult, InitializeResult, Revision};

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::Terms;
use crate::server::Answer;
use crate::server::introduction::Introduction;

impl Router {
    /// What the server says of itself as a whole.
    pub(in crate::server) fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// The answer to a handshake that settled on `terms`.
    pub(in crate::server) fn initialize(&self, terms: &Terms) -> Answer {
        let capabilities = self.settings.extensions.in_handshakes(&self.capabilities);
        let result = InitializeResult::new(
            terms.revision.as_str(),
            capabilities,
            self.settings.info.clone(),
        );
        let result = match self.introduction.instructions() {
            Some(instructions) => result.with_instructions(instructions),
            None => result,
        };
        Answer::once(result, terms.revision)
    }

    pub(super) fn discover(&self, request: Admitted<'_>) -> Served<Answer> {
        let revision = request.terms.revision;
        let json = self.discover.get(revision, || self.discover_result());
        self.prepared(json, request)
    }

    fn discover_result(&self) -> DiscoverResult {
        let capabilities = self.settings.extensions.in_discovery(&self.capabilities);
        let versions = self.settings.revisions.iter().rev().map(Revision::as_str);
        let result = DiscoverResult::new(capabilities, versions);
        let result = self.settings.caching.mark(result);
        match self.introduction.instructions() {
            Some(instructions) => result.with_instructions(instructions),
            None => result,
        }
    }
}
