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
    /// Whether changes of the lists are announced.
    pub(super) list_changed: bool,
    pub(super) subscribable: bool,
}

impl Facts {
    /// Exactly the capabilities that can be made use of.
    pub(super) fn declare(self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        let list_changed = self.list_changed.then_some(true);
        if self.tools {
            let tools = capabilities.tools.insert(ServerCapabilitiesTools::new());
            tools.list_changed = list_changed;
        }
        if self.prompts {
            let prompts = capabilities
                .prompts
                .insert(ServerCapabilitiesPrompts::new());
            prompts.list_changed = list_changed;
        }
        if self.resources {
            let resources = capabilities
                .resources
                .insert(ServerCapabilitiesResources::new());
            resources.list_changed = list_changed;
            resources.subscribe = self.subscribable.then_some(true);
        }
        capabilities.completions = self.completers.then(JsonObject::new);
        capabilities
    }
}
