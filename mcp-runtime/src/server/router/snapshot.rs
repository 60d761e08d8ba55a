//! Everything that a server offers.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::{ServerCapabilities, Tool};

use super::capabilities::Facts;
use crate::server::answer::Identity;
use crate::server::beyond::{Offered, Tables};
use crate::server::edit::Inventory;
use crate::server::introduction::Introduction;
use crate::server::prepared::Prepared;
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
    /// The rest, where there may be any.
    beyond: Option<Arc<dyn Offered>>,
    pub(super) discover: Prepared,
}

impl Router {
    pub(in crate::server) fn new(settings: Arc<Settings>, inventory: &Inventory) -> Self {
        let tools = Tools::new(inventory.tools.routes(), &settings);
        let beyond = settings.beyond_tools.as_ref();
        let beyond = beyond.map(|beyond| (beyond.offer)(inventory, &settings, None, &[]));
        let identity = Arc::new(Identity::new(&settings.info));
        Self {
            settings,
            identity,
            introduction: Introduction::joined(inventory),
            capabilities: ServerCapabilities::default(),
            tools: Arc::new(tools),
            beyond,
            discover: Prepared::default(),
        }
        .declaring()
    }

    /// The router after an edit. What has not changed is shared, with all that was written of it.
    pub(in crate::server) fn edited(&self, inventory: &Inventory, changes: &[Change]) -> Self {
        let mut edited = Self {
            settings: Arc::clone(&self.settings),
            identity: Arc::clone(&self.identity),
            introduction: Introduction::joined(inventory),
            capabilities: ServerCapabilities::default(),
            tools: Arc::clone(&self.tools),
            beyond: None,
            discover: Prepared::default(),
        };
        let settings = &edited.settings;
        if changes.contains(&Change::Tools) {
            edited.tools = Arc::new(Tools::new(inventory.tools.routes(), settings));
        }
        if let Some(beyond) = &settings.beyond_tools {
            let before = self.beyond.as_deref();
            edited.beyond = Some((beyond.offer)(inventory, settings, before, changes));
        }
        edited.declaring()
    }

    fn declaring(mut self) -> Self {
        let may_change = |list| self.settings.dynamic.contains(list);
        let mut facts = Facts {
            tools: !self.tools.is_empty(),
            tools_change: may_change(List::Tools),
            prompts_change: may_change(List::Prompts),
            resources_change: may_change(List::Resources),
            logging: self.settings.logging,
            ..Facts::default()
        };
        if let Some(beyond) = &self.beyond {
            beyond.declare(&mut facts);
        }
        self.capabilities = facts.declare();
        let experimental = self.introduction.experimental.clone();
        self.capabilities.experimental = experimental;
        self
    }

    /// The prompts and resources, where there may be any.
    pub(super) fn tables(&self) -> Option<&Tables> {
        self.beyond.as_ref().map(|beyond| beyond.tables())
    }

    /// Tells what serves `uri` that somebody wants to know of its changes.
    pub(in crate::server) fn wanted(&self, uri: &str) {
        if let Some(tables) = self.tables() {
            tables.resources.wanted(uri);
        }
    }

    /// The canonical form of `uri`, if a resource is found there.
    pub(in crate::server) fn canonical_uri<'a>(&'a self, uri: &'a str) -> Option<Cow<'a, str>> {
        self.tables()?.resources.canonical(uri)
    }

    pub(in crate::server) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }
}
