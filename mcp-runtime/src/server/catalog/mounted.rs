//! Entries of mounted servers, as the server that mounts them has them: names and URIs have the
//! prefix, also in results, so that clients can read what they lead to.

use std::sync::Arc;

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult, ResourceContents, Tool};

use super::entries::Visibility;
use super::mount::Mount;
use crate::server::prompts::{PromptCall, PromptRoute};
use crate::server::resources::{Contents, Lister, ResourceCall, ResourceRoute};
use crate::server::tools::{ToolCall, ToolRoute};

pub(super) fn tool(
    inner: &Arc<ToolRoute>,
    mount: &Arc<Mount>,
    visibility: Visibility<ToolRoute>,
) -> ToolRoute {
    let name = mount.namespace.name(&inner.name);
    let (described, named) = (Arc::clone(inner), name.clone());
    let tool = move || {
        let mut tool = Tool::clone(&described.tool);
        tool.name = named;
        tool
    };
    let (serving, mount) = (Arc::clone(inner), Arc::clone(mount));
    let handler = move |call: ToolCall<'_>| {
        let (context, mount) = (&call.context.at(&mount.server), Arc::clone(&mount));
        let reply = (serving.handler)(ToolCall { context, ..call });
        reply.then(move |result| Ok(mount.tool_result(result)))
    };
    let mut route = ToolRoute::lazy(name, tool, Box::new(handler));
    route.wrapped_schema.clone_from(&inner.wrapped_schema);
    route.param_headers.clone_from(&inner.param_headers);
    route.visibility = visibility;
    route
}

pub(super) fn prompt(
    inner: &Arc<PromptRoute>,
    mount: &Arc<Mount>,
    visibility: Visibility<PromptRoute>,
) -> PromptRoute {
    let mut prompt = inner.prompt.clone();
    prompt.name = mount.namespace.name(&prompt.name);
    let (serving, mount) = (Arc::clone(inner), Arc::clone(mount));
    let mut route = PromptRoute::new(prompt, move |call| {
        let (context, mount) = (&call.context.at(&mount.server), Arc::clone(&mount));
        let reply = (serving.handler)(PromptCall { context, ..call });
        reply.then(move |result| Ok(mount.prompt_result(result)))
    });
    route.completers = inner.completers.clone();
    route.visibility = visibility;
    route
}

pub(super) fn resource(
    inner: &Arc<ResourceRoute>,
    mount: &Arc<Mount>,
    visibility: Visibility<ResourceRoute>,
) -> ResourceRoute {
    let mut listed = inner.listed.clone();
    let uri = listed.uri_mut();
    *uri = mount.namespace.uri(uri);
    let template = inner.template.prefixed(&mount.namespace.uri(""));
    let (serving, outer) = (Arc::clone(inner), Arc::clone(mount));
    let handler = move |call: ResourceCall<'_>| {
        let (context, mount) = (&call.context.at(&outer.server), Arc::clone(&outer));
        let uri = mount.namespace.strip(call.uri);
        let reply = (serving.handler)(ResourceCall {
            uri,
            context,
            ..call
        });
        reply.then(move |contents| Ok(mount.contents(contents)))
    };
    let mut route = ResourceRoute::new(listed, template, handler);
    if let Some(on_subscribe) = inner.on_subscribe.clone() {
        let namespace = mount.namespace.clone();
        route.on_subscribe = Some(Arc::new(move |uri| on_subscribe(namespace.strip(uri))));
    }
    route.lister = inner.lister.clone().map(|inner| lister(inner, mount));
    route.completers = inner.completers.clone();
    route.caching = inner.caching.clone();
    route.visibility = visibility;
    route
}

/// A lister of a mounted server, with outer URIs.
fn lister(inner: Lister, mount: &Arc<Mount>) -> Lister {
    let namespace = mount.namespace.clone();
    Arc::new(move |mut part| {
        let after = part.after.as_deref();
        part.after = after.map(|uri| namespace.strip(uri).to_owned());
        let (found, namespace) = (inner(part), namespace.clone());
        Box::pin(async move {
            let mut resources = found.await;
            for resource in &mut resources {
                resource.uri = namespace.uri(&resource.uri);
            }
            resources
        })
    })
}

impl Mount {
    fn tool_result(&self, mut result: CallToolResult) -> CallToolResult {
        result
            .content
            .iter_mut()
            .for_each(|block| self.block(block));
        result
    }

    fn prompt_result(&self, mut result: GetPromptResult) -> GetPromptResult {
        let messages = result.messages.iter_mut();
        messages.for_each(|message| self.block(&mut message.content));
        result
    }

    fn contents(&self, mut contents: Contents) -> Contents {
        let parts = match &mut contents {
            Contents::Parts(parts) => parts,
            Contents::Whole(result) => &mut result.contents,
            _ => return contents,
        };
        for uri in parts.iter_mut().filter_map(ResourceContents::uri_mut) {
            *uri = self.namespace.uri(uri);
        }
        contents
    }

    /// Adds the prefix to the URI in a block, if the mounted server has the resource: other links
    /// lead elsewhere.
    fn block(&self, block: &mut ContentBlock) {
        let uri = match block {
            ContentBlock::ResourceLink(link) => Some(&mut link.uri),
            ContentBlock::Resource(embedded) => embedded.resource.uri_mut(),
            _ => None,
        };
        let router = self.server.router();
        if let Some(uri) = uri.filter(|uri| router.resources.canonical(uri).is_some()) {
            *uri = self.namespace.uri(uri);
        }
    }
}
