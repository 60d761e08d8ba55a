//! The tools of a server: listed in order, found by name.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::{
    CallToolRequestParamsRef, CallToolResult, ListToolsResult, RawJson, RawJsonRef, Revision,
};

use super::{ToolCall, ToolRoute};
use crate::protocol::{Refusal, decode_params};
use crate::server::caching::Caching;
use crate::server::prepared::Prepared;
use crate::server::{Context, Reply};

/// The tools of a server.
#[derive(Debug)]
pub(in crate::server) struct Tools {
    routes: Vec<ToolRoute>,
    by_name: HashMap<String, usize>,
    list: Prepared,
    caching: Caching,
}

impl Tools {
    /// Tools in the order in which they were declared; a later one replaces one of its name.
    pub(in crate::server) fn new(declared: Vec<ToolRoute>, caching: Caching) -> Self {
        let mut routes: Vec<ToolRoute> = Vec::with_capacity(declared.len());
        let mut by_name = HashMap::with_capacity(declared.len());
        for route in declared {
            match by_name.get(&route.tool.name) {
                Some(&index) => routes[index] = route,
                None => {
                    by_name.insert(route.tool.name.clone(), routes.len());
                    routes.push(route);
                }
            }
        }
        Self {
            routes,
            by_name,
            list: Prepared::default(),
            caching,
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// The tools, in the order in which they are listed.
    pub(in crate::server) fn iter(&self) -> impl Iterator<Item = &mcp_types::Tool> {
        self.routes.iter().map(|route| &route.tool)
    }

    /// The answer to `tools/list`, written once a revision.
    pub(in crate::server) fn list(&self, revision: Revision) -> Arc<RawJson> {
        self.list.get(revision, || {
            let tools = self.routes.iter().map(|route| route.listed(revision));
            self.caching.mark(ListToolsResult::new(tools))
        })
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// When the parameters are no call, or there is no such tool.
    pub(in crate::server) fn call(
        &self,
        params: Option<RawJsonRef<'_>>,
        context: impl FnOnce(Option<RawJsonRef<'_>>) -> Context,
    ) -> Result<Reply<CallToolResult>, Refusal> {
        let params: CallToolRequestParamsRef<'_> = decode_params(params)?;
        let index = self.by_name.get(&*params.name);
        let route = index.map(|index| &self.routes[*index]);
        let route = route.ok_or_else(|| Refusal::UnknownTool(params.name.into_owned()))?;
        let context = context(params.meta);
        Ok((route.handler)(ToolCall {
            arguments: params.arguments,
            context: &context,
        }))
    }
}
