//! Everything that a server offers.

use std::sync::Arc;

use mcp_types::{Implementation, Revisions, ServerCapabilities, Tool};

use super::capabilities::Facts;
use crate::server::ServerBuilder;
use crate::server::answer::Identity;
use crate::server::prepared::Prepared;
use crate::server::prompts::Prompts;
use crate::server::resources::Resources;
use crate::server::tools::Tools;

/// Everything a server offers. Built once, shared by all connections, never changed.
#[derive(Debug)]
pub(in crate::server) struct Router {
    pub(super) identity: Arc<Identity>,
    pub(super) declared: Declared,
    pub(super) capabilities: ServerCapabilities,
    pub(super) tools: Tools,
    pub(super) prompts: Prompts,
    pub(super) resources: Resources,
    pub(super) discover: Prepared,
}

/// What the server says of itself.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) info: Implementation,
    pub(super) instructions: Option<String>,
    pub(super) revisions: Revisions,
}

impl Router {
    pub(in crate::server) fn new(builder: ServerBuilder) -> Self {
        let tools = Tools::new(builder.tools, builder.caching.clone());
        let prompts = Prompts::new(builder.prompts, builder.caching.clone());
        let resources = Resources::new(builder.resources, builder.caching);
        let facts = Facts {
            tools: !tools.is_empty(),
            prompts: !prompts.is_empty(),
            resources: !resources.is_empty(),
            completers: prompts.has_completers() || resources.has_completers(),
            list_changed: builder.list_changed,
            subscribable: resources.has_subscribable(),
        };
        Self {
            identity: Arc::new(Identity::new(&builder.info)),
            declared: Declared {
                info: builder.info,
                instructions: builder.instructions,
                revisions: builder.revisions,
            },
            capabilities: facts.declare(),
            tools,
            prompts,
            resources,
            discover: Prepared::default(),
        }
    }

    pub(in crate::server) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }

    pub(in crate::server) fn revisions(&self) -> Revisions {
        self.declared.revisions
    }
}
