//! Everything that a server offers, in a form that is the same each time.

use mcp_runtime::types::{
    Implementation, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool,
};
use mcp_runtime::{Negotiated, Revision};
use serde::Serialize;

/// What a server offers: lists sorted by name or URI, without `_meta` and icons.
#[derive(Debug, Serialize)]
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
        for tool in &mut tools {
            (tool.meta, tool.icons) = (None, None);
        }
        for prompt in &mut prompts {
            (prompt.meta, prompt.icons) = (None, None);
        }
        for resource in &mut resources {
            (resource.meta, resource.icons) = (None, None);
        }
        for template in &mut resource_templates {
            (template.meta, template.icons) = (None, None);
        }
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        prompts.sort_by(|a, b| a.name.cmp(&b.name));
        resources.sort_by(|a, b| a.uri.cmp(&b.uri));
        resource_templates.sort_by(|a, b| a.uri_template.cmp(&b.uri_template));
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
