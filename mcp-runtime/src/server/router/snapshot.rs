//! Everything that a server offers.

use std::sync::Arc;

use mcp_types::{ServerCapabilities, Tool};

use super::capabilities::Facts;
use crate::server::answer::Identity;
use crate::server::edit::Inventory;
use crate::server::prepared::Prepared;
use crate::server::prompts::Prompts;
use crate::server::resources::Resources;
use crate::server::settings::Settings;
use crate::server::tools::Tools;
use crate::server::{Change, List};

/// Everything a server offers, shared by all connections. It never changes: when the server is
/// edited, another one takes its place.
#[derive(Debug)]
pub(in crate::server) struct Router {
    pub(super) settings: Arc<Settings>,
    pub(super) identity: Arc<Identity>,
    pub(super) capabilities: ServerCapabilities,
    pub(super) tools: Arc<Tools>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) resources: Arc<Resources>,
    pub(super) discover: Prepared,
}

impl Router {
    pub(in crate::server) fn new(settings: Arc<Settings>, inventory: &Inventory) -> Self {
        let tools = Tools::new(inventory.tools.routes(), &settings);
        let prompts = Prompts::new(inventory.prompts.routes(), &settings);
        let resources = Resources::new(inventory.resources.routes(), &settings);
        let identity = Arc::new(Identity::new(&settings.info));
        Self {
            settings,
            identity,
            capabilities: ServerCapabilities::default(),
            tools: Arc::new(tools),
            prompts: Arc::new(prompts),
            resources: Arc::new(resources),
            discover: Prepared::default(),
        }
        .declaring()
    }

    /// The router after an edit. What has not changed is shared, with all that was written of it.
    pub(in crate::server) fn edited(&self, inventory: &Inventory, changes: &[Change]) -> Self {
        let mut edited = Self {
            settings: Arc::clone(&self.settings),
            identity: Arc::clone(&self.identity),
            capabilities: ServerCapabilities::default(),
            tools: Arc::clone(&self.tools),
            prompts: Arc::clone(&self.prompts),
            resources: Arc::clone(&self.resources),
            discover: Prepared::default(),
        };
        let settings = &edited.settings;
        if changes.contains(&Change::Tools) {
            edited.tools = Arc::new(Tools::new(inventory.tools.routes(), settings));
        }
        if changes.contains(&Change::Prompts) {
            edited.prompts = Arc::new(Prompts::new(inventory.prompts.routes(), settings));
        }
        if changes.contains(&Change::Resources) {
            edited.resources = Arc::new(Resources::new(inventory.resources.routes(), settings));
        }
        edited.declaring()
    }

    fn declaring(mut self) -> Self {
        let may_change = |list| self.settings.dynamic.contains(list);
        let facts = Facts {
            tools: !self.tools.is_empty(),
            tools_change: may_change(List::Tools),
            prompts: !self.prompts.is_empty(),
            prompts_change: may_change(List::Prompts),
            resources: !self.resources.is_empty(),
            resources_change: may_change(List::Resources),
            completers: self.prompts.has_completers() || self.resources.has_completers(),
            subscribable: self.resources.has_subscribable(),
            logging: self.settings.logging,
        };
        self.capabilities = facts.declare();
        self
    }

    /// Tells what serves `uri` that somebody wants to know of its changes.
    pub(in crate::server) fn wanted(&self, uri: &str) {
        self.resources.wanted(uri);
    }

    /// Whether something is found under `uri`.
    pub(in crate::server) fn has_resource(&self, uri: &str) -> bool {
        self.resources.has(uri)
    }

    pub(in crate::server) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }
}
