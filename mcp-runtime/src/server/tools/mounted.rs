//! Tools of a mounted server.

use std::sync::Arc;

use mcp_types::Tool;

use super::{ToolCall, ToolRoute};
use crate::server::mount::Links;

impl ToolRoute {
    /// The tool `inner` of a mounted server, as the one that mounts it has it.
    pub(in crate::server) fn mounted(inner: &Arc<Self>, links: &Arc<Links>) -> Self {
        let name = links.namespace.name(&inner.name);
        let (described, named) = (Arc::clone(inner), name.clone());
        let tool = move || {
            let mut tool = Tool::clone(&described.tool);
            tool.name = named;
            tool
        };
        let home = inner.home.clone().unwrap_or_else(|| links.server.clone());
        let (serving, at, links) = (Arc::clone(inner), home.clone(), Arc::clone(links));
        let (shown, visibility) = (Arc::clone(inner), Arc::clone(links.server.settings()));
        let handler = move |call: ToolCall<'_>| {
            call.context.serve_at(&at);
            let links = Arc::clone(&links);
            (serving.handler)(call).then(move |result| Ok(links.tool_result(result)))
        };
        let mut route = Self::lazy(name, tool, Box::new(handler));
        route.wrapped_schema.clone_from(&inner.wrapped_schema);
        route.param_headers.clone_from(&inner.param_headers);
        if visibility.tool_visibility.is_limited() || inner.visible.is_some() {
            route.visible = Some(Box::new(move |context| {
                shown.is_visible(context) && visibility.tool_visibility.shows(&shown.tool, context)
            }));
        }
        route.home = Some(home);
        route
    }
}
