//! Tools as entries of the catalogue, and `tools/call`.

use std::sync::Arc;

use mcp_types::{CallToolResult, ListToolsResult, Revision, Tool};

use super::{ToolCall, ToolRoute};
use crate::error::RequestError;
use crate::server::Reply;
use crate::server::catalog::{Catalog, Entry, ListResult, Mount, Visibility};
use crate::server::dispatch::ServerRequest;

impl Entry for ToolRoute {
    fn name(&self) -> &str {
        &self.name
    }

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn mounted(inner: &Arc<Self>, mount: &Arc<Mount>, visibility: Visibility<Self>) -> Self {
        let name = mount.namespace.name(&inner.name);
        let (described, named) = (Arc::clone(inner), name.clone());
        let tool = move || {
            let mut tool = Tool::clone(&described.tool);
            tool.name = named;
            tool
        };
        let home = mount.home(inner.home.as_ref());
        let (serving, at, mount) = (Arc::clone(inner), home.clone(), Arc::clone(mount));
        let handler = move |call: ToolCall<'_>| {
            call.context.serve_at(&at);
            let mount = Arc::clone(&mount);
            (serving.handler)(call).then(move |result| Ok(mount.tool_result(result)))
        };
        let mut route = Self::lazy(name, tool, Box::new(handler));
        route.wrapped_schema.clone_from(&inner.wrapped_schema);
        route.param_headers.clone_from(&inner.param_headers);
        route.visibility = visibility;
        route.home = Some(home);
        route
    }
}

impl ToolRoute {
    /// The tool as it is listed in most revisions.
    pub(in crate::server) fn tool(&self) -> &Tool {
        &self.tool
    }
}

impl ListResult for ListToolsResult {
    type Entry = ToolRoute;
    type Item = Tool;

    const NUMBER: u8 = 0;

    fn item(route: &ToolRoute, revision: Revision) -> Option<Tool> {
        Some(route.listed(revision))
    }

    fn page(tools: Vec<Tool>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(tools);
        page.next_cursor = next_cursor;
        page
    }
}

impl Catalog<ToolRoute> {
    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// When the parameters are no call, there is no such tool, or the headers of the request do not
    /// repeat the arguments that they have to.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<CallToolResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.arguments()?;
        let context = request.context;
        let Some(route) = self.get_for(&name, context) else {
            return Err(RequestError::UnknownTool(name.into_owned()));
        };
        route.check_headers(arguments, context)?;
        Ok(route.call(arguments, context))
    }
}
