//! Everything that a server offers, in a form that is the same each time.

use mcp_runtime::types::{
    Implementation, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool,
};
use mcp_runtime::{Negotiated, Revision};
use serde::Serialize;

/// What a server offers: lists sorted by name or URI, without `_meta` and icons.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Snapshot {
    pub(crate) server: Implementation,
    pub(crate) revision: Revision,
    pub(crate) revisions: Vec<String>,
    pub(crate) capabilities: ServerCapabilities,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) resource_templates: Vec<ResourceTemplate>,
}

/// Sorts a list, and removes what is no part of a snapshot.
macro_rules! tidy {
    ($list:ident by $key:ident) => {
        $list.sort_by(|a, b| a.$key.cmp(&b.$key));
        $list
            .iter_mut()
            .for_each(|it| (it.meta, it.icons) = (None, None));
    };
}

impl Snapshot {
    pub(crate) fn new(
        negotiated: &Negotiated<ServerCapabilities>,
        revisions: Vec<String>,
        mut tools: Vec<Tool>,
        mut prompts: Vec<Prompt>,
        mut resources: Vec<Resource>,
        mut resource_templates: Vec<ResourceTemplate>,
    ) -> Self {
        let unnamed = || Implementation::new("unnamed server", "");
        let mut server = negotiated.peer_info.clone().unwrap_or_else(unnamed);
        server.icons = None;
        tidy!(tools by name);
        tidy!(prompts by name);
        tidy!(resources by uri);
        tidy!(resource_templates by uri_template);
        Self {
            server,
            revision: negotiated.revision,
            revisions,
            capabilities: negotiated.peer_capabilities.clone(),
            instructions: negotiated.instructions.clone(),
            tools,
            prompts,
            resources,
            resource_templates,
        }
    }
}
