//! What a server declares, derived from what it has.

use mcp_types::{JsonObject, ServerCapabilities};

/// What there is to declare.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one fact, independent of the others"
)]
pub(in crate::server) struct Facts {
    pub(in crate::server) tools: bool,
    pub(in crate::server) tools_change: bool,
    pub(in crate::server) prompts: bool,
    pub(in crate::server) prompts_change: bool,
    pub(in crate::server) resources: bool,
    pub(in crate::server) resources_change: bool,
    pub(in crate::server) completers: bool,
    pub(in crate::server) subscribable: bool,
    pub(in crate::server) logging: bool,
}

impl Facts {
    /// Exactly the capabilities that can be made use of. A list that may change is declared even
    /// while it is empty.
    pub(super) fn declare(self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        if self.tools || self.tools_change {
            let tools = capabilities.tools.get_or_insert_default();
            tools.list_changed = self.tools_change.then_some(true);
        }
        if self.prompts || self.prompts_change {
            let prompts = capabilities.prompts.get_or_insert_default();
            prompts.list_changed = self.prompts_change.then_some(true);
        }
        if self.resources || self.resources_change {
            let resources = capabilities.resources.get_or_insert_default();
            resources.list_changed = self.resources_change.then_some(true);
            resources.subscribe = self.subscribable.then_some(true);
        }
        capabilities.logging = self.logging.then(JsonObject::new);
        capabilities.completions = self.completers.then(JsonObject::new);
        capabilities
    }
}
