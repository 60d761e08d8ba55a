//! Everything that a server offers.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::{JsonObject, ServerCapabilities, Tool};

use crate::server::answer::Identity;
use crate::server::answer::Prepared;
use crate::server::edit::Catalog;
use crate::server::introduction::Introduction;
use crate::server::notify::Announced;
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
    pub(super) introduction: Introduction,
    pub(super) capabilities: ServerCapabilities,
    pub(super) tools: Arc<Tools>,
    pub(super) prompts: Arc<Prompts>,
    pub(super) resources: Arc<Resources>,
    pub(super) discover: Prepared,
}

impl Router {
    pub(in crate::server) fn new(settings: Arc<Settings>, inventory: &Catalog) -> Self {
        let identity = Arc::new(Identity::new(&settings.info));
        let tools = Arc::new(Tools::new(inventory.tools.routes(), &settings));
        let prompts = Arc::new(Prompts::new(inventory.prompts.routes(), &settings));
        let resources = Arc::new(Resources::new(inventory.resources.routes(), &settings));
        Self {
            settings,
            identity,
            introduction: Introduction::joined(inventory),
            capabilities: ServerCapabilities::default(),
            tools,
            prompts,
            resources,
            discover: Prepared::default(),
        }
        .declaring()
    }

    /// The router after an edit. Tables that have not changed are shared, with the pages that were
    /// written of them.
    pub(in crate::server) fn edited(&self, inventory: &Catalog, changes: &[Change]) -> Self {
        let settings = &self.settings;
        let mut edited = Self {
            settings: Arc::clone(settings),
            identity: Arc::clone(&self.identity),
            introduction: Introduction::joined(inventory),
            capabilities: ServerCapabilities::default(),
            tools: Arc::clone(&self.tools),
            prompts: Arc::clone(&self.prompts),
            resources: Arc::clone(&self.resources),
            discover: Prepared::default(),
        };
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

    /// Sets the capabilities to exactly those that can be made use of. A list that may change is
    /// declared even while it is empty.
    fn declaring(mut self) -> Self {
        let may_change = |list| self.settings.dynamic.contains(list);
        let mut capabilities = ServerCapabilities::default();
        let dynamic = may_change(List::Tools);
        if dynamic || !self.tools.is_empty() {
            let tools = capabilities.tools.get_or_insert_default();
            tools.list_changed = dynamic.then_some(true);
        }
        let dynamic = may_change(List::Prompts);
        if dynamic || !self.prompts.is_empty() {
            let prompts = capabilities.prompts.get_or_insert_default();
            prompts.list_changed = dynamic.then_some(true);
        }
        let dynamic = may_change(List::Resources);
        if dynamic || !self.resources.is_empty() {
            let resources = capabilities.resources.get_or_insert_default();
            resources.list_changed = dynamic.then_some(true);
            resources.subscribe = self.resources.has_subscribable().then_some(true);
        }
        let completes = self.prompts.has_completers() || self.resources.has_completers();
        capabilities.logging = self.settings.logging.then(JsonObject::new);
        capabilities.completions = completes.then(JsonObject::new);
        capabilities.experimental = self.introduction.experimental.clone();
        self.capabilities = capabilities;
        self
    }

    /// The changes that the server announces.
    pub(in crate::server) fn announced(&self) -> Announced {
        Announced::by(&self.capabilities)
    }

    /// The instructions and experimental capabilities of the server and its mounts.
    pub(in crate::server) fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Tells the resource that serves `uri` that a client has subscribed to it.
    pub(in crate::server) fn wanted(&self, uri: &str) {
        self.resources.wanted(uri);
    }

    /// The canonical form of `uri`, if a resource is found there.
    pub(in crate::server) fn canonical_uri<'a>(&'a self, uri: &'a str) -> Option<Cow<'a, str>> {
        self.resources.canonical(uri)
    }

    pub(in crate::server) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }
}
