//! The tools of a server: listed in order, found by name.

use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{CallToolResult, ListToolsResult, Revision, Tool};

use super::{ToolCall, ToolRoute};
use crate::error::RequestError;
use crate::server::caching::Caching;
use crate::server::cursor::{Pageable, Place};
use crate::server::pages::{Pages, cut};
use crate::server::router::Admitted;
use crate::server::routes::Routes;
use crate::server::settings::Settings;
use crate::server::visibility::Visibility;
use crate::server::{Context, Reply};

/// The tools of a server.
#[derive(Debug)]
pub(in crate::server) struct Tools {
    routes: Routes<ToolRoute>,
    pages: Pages,
    page_size: Option<NonZeroUsize>,
    caching: Caching,
    visibility: Visibility<Tool>,
}

impl Tools {
    pub(in crate::server) fn new(routes: Routes<ToolRoute>, settings: &Settings) -> Self {
        let serials = routes.serials().to_vec();
        Self {
            pages: Pages::new(Pageable::Tools, settings.page_size, serials),
            routes,
            page_size: settings.page_size,
            caching: settings.caching.clone(),
            visibility: settings.tool_visibility.clone(),
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.all().is_empty()
    }

    /// The tools, in the order in which they are listed.
    pub(in crate::server) fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.routes.all().iter().map(|route| &*route.tool)
    }

    /// Whether callers may see different tools.
    pub(in crate::server) fn differ_by_caller(&self) -> bool {
        let mut routes = self.routes.all().iter();
        self.visibility.is_limited() || routes.any(|it| it.visible.is_some())
    }

    /// A page of what `tools/list` shows to everybody, written once a revision.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list(
        &self,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<PreparedResult, RequestError> {
        let page = self.pages.page(cursor)?;
        Ok(page.written(revision, || {
            let routes = &self.routes.all()[page.items.clone()];
            self.caching
                .mark(result(routes, page.next.clone(), revision))
        }))
    }

    /// A page of what `tools/list` shows to one caller.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list_for(
        &self,
        cursor: Option<&str>,
        context: &Context,
    ) -> Result<ListToolsResult, RequestError> {
        let (mut places, mut shown) = (Vec::new(), Vec::new());
        for (serial, route) in self.routes.numbered() {
            if self.shows(route, context) {
                places.push(Place::of(serial));
                shown.push(Arc::clone(route));
            }
        }
        let (items, next) = cut(&places, Pageable::Tools, cursor, self.page_size)?;
        let result = result(&shown[items], next, context.revision());
        Ok(self.caching.mark_private(result))
    }

    fn shows(&self, route: &ToolRoute, context: &Context) -> bool {
        let is_limited = self.visibility.is_limited();
        route.is_visible(context) && (!is_limited || self.visibility.shows(&route.tool, context))
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// When the parameters are no call, there is no such tool, or the headers of the request do not
    /// repeat the arguments that they have to.
    pub(in crate::server) fn call(
        &self,
        request: Admitted<'_>,
    ) -> Result<Reply<CallToolResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.arguments()?;
        // Faults of the parameters are found before it is known whether there is such a tool: a
        // hidden one must be answered as an unknown one.
        let context = request.context()?;
        let route = self.routes.get(&name);
        let Some(route) = route.filter(|route| self.shows(route, context)) else {
            return Err(RequestError::UnknownTool(name.into_owned()));
        };
        route.check_headers(arguments, context)?;
        Ok((route.handler)(ToolCall { arguments, context }))
    }
}

/// A page with these tools, as `revision` lists them.
fn result(routes: &[Arc<ToolRoute>], next: Option<String>, revision: Revision) -> ListToolsResult {
    let tools = routes.iter().map(|route| route.listed(revision));
    let mut result = ListToolsResult::new(tools);
    result.next_cursor = next;
    result
}
