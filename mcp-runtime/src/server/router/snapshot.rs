//! An immutable snapshot of everything that a server offers.

use std::sync::Arc;

use mcp_types::{JsonObject, ServerCapabilities};

use crate::server::List;
use crate::server::answer::{Identity, Prepared};
use crate::server::catalog::{Catalog, Registry};
use crate::server::notify::Announced;
use crate::server::prompts::PromptRoute;
use crate::server::resources::ResourceRoute;
use crate::server::settings::Introduction;
use crate::server::settings::Settings;
use crate::server::tools::ToolRoute;

/// Everything that a server offers, shared by all connections. It is immutable: an edit replaces
/// it.
#[derive(Debug)]
pub(in crate::server) struct Router {
    pub(super) settings: Arc<Settings>,
    pub(super) identity: Arc<Identity>,
    pub(in crate::server) introduction: Introduction,
    pub(super) capabilities: ServerCapabilities,
    pub(in crate::server) tools: Arc<Catalog<ToolRoute>>,
    pub(in crate::server) prompts: Arc<Catalog<PromptRoute>>,
    pub(in crate::server) resources: Arc<Catalog<ResourceRoute>>,
    pub(super) discover: Prepared,
}

impl Router {
    /// The router of what `registry` has. Catalogues in which nothing has changed are shared with
    /// the router before.
    pub(in crate::server) fn new(settings: Arc<Settings>, registry: &mut Registry) -> Self {
        let mut router = Self {
            identity: Arc::new(Identity::new(&settings.info)),
            introduction: Introduction::joined(registry),
            capabilities: ServerCapabilities::default(),
            tools: registry.tools.snapshot(&settings),
            prompts: registry.prompts.snapshot(&settings),
            resources: registry.resources.snapshot(&settings),
            discover: Prepared::default(),
            settings,
        };
        router.capabilities = router.declared();
        router
    }

    /// The capabilities that clients can make use of. A list that may change is declared even while
    /// it is empty.
    fn declared(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        let dynamic = |list| self.settings.dynamic.contains(&list).then_some(true);
        let list_changed = dynamic(List::Tools);
        if list_changed.is_some() || !self.tools.is_empty() {
            capabilities.tools.get_or_insert_default().list_changed = list_changed;
        }
        let list_changed = dynamic(List::Prompts);
        if list_changed.is_some() || !self.prompts.is_empty() {
            capabilities.prompts.get_or_insert_default().list_changed = list_changed;
        }
        let list_changed = dynamic(List::Resources);
        if list_changed.is_some() || !self.resources.is_empty() {
            let resources = capabilities.resources.get_or_insert_default();
            resources.list_changed = list_changed;
            resources.subscribe = self.resources.has_subscribable().then_some(true);
        }
        let completes = self.prompts.has_completers() || self.resources.has_completers();
        capabilities.completions = completes.then(JsonObject::new);
        capabilities.logging = self.settings.logging.then(JsonObject::new);
        capabilities.experimental = self.introduction.experimental.clone();
        capabilities
    }

    /// The changes that the server announces.
    pub(in crate::server) fn announced(&self) -> Announced {
        Announced::by(&self.capabilities)
    }
}
