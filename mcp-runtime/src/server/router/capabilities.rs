//! What a server declares, derived from what it has.

use mcp_types::{
    JsonObject, ServerCapabilities, ServerCapabilitiesPrompts, ServerCapabilitiesResources,
    ServerCapabilitiesTools,
};

/// What there is to declare.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) completers: bool,
}

impl Facts {
    /// Exactly the capabilities that can be made use of.
    pub(super) fn declare(self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = self.tools.then(ServerCapabilitiesTools::default);
        capabilities.prompts = self.prompts.then(ServerCapabilitiesPrompts::default);
        capabilities.resources = self.resources.then(ServerCapabilitiesResources::default);
        capabilities.completions = self.completers.then(JsonObject::new);
        capabilities
    }
}
