//! Servers within servers. A mounted server keeps its entries, and the outer server has entries
//! that forward to them. Names and URIs of these entries have a prefix. The prefix is also added to
//! URIs in results, so clients can read them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult, ResourceContents, Tool};

use super::entries::Entries;
use super::{Catalog, CatalogEntry, Visibility};
use crate::protocol::{Change, Namespace};
use crate::server::dispatch::Router;
use crate::server::layers::Stack;
use crate::server::prompts::{PromptCall, PromptEntry, around_prompt};
use crate::server::resources::{Contents, Lister, ResourceCall, ResourceEntry, around_resource};
use crate::server::settings::Introduction;
use crate::server::tools::{ToolCall, ToolEntry, around_tool};
use crate::server::{Context, Scopes, Server, ServerState, Settings};
use crate::sync::lock;

/// Everything that a server offers. Edits change it, and requests read snapshots of it.
#[derive(Debug, Default)]
pub(in crate::server) struct Registry {
    /// The instructions and experimental capabilities of the server itself, without its mounts.
    pub(in crate::server) introduction: Introduction,
    pub(in crate::server) tools: Entries<ToolEntry>,
    pub(in crate::server) prompts: Entries<PromptEntry>,
    pub(in crate::server) resources: Entries<ResourceEntry>,
    pub(in crate::server) mounts: Vec<Arc<Mount>>,
}

#[derive(Debug)]
pub(in crate::server) struct Mount {
    pub(in crate::server) namespace: Namespace,
    pub(in crate::server) server: Server,
}

/// Passes changes of a mounted server on to the outer server.
#[derive(Clone, Debug)]
pub(in crate::server) struct Relay {
    pub(in crate::server) outer: Weak<ServerState>,
    /// The index of the mounted server in the outer one.
    index: usize,
    namespace: Namespace,
}

fn is_among(mounts: &[Arc<Mount>], server: &Server) -> bool {
    let mut mounts = mounts.iter();
    mounts.any(|mount| Arc::ptr_eq(&mount.server.state, &server.state))
}

impl Registry {
    pub(in crate::server) fn is_mounted(&self, server: &Server) -> bool {
        is_among(&self.mounts, server)
    }

    /// Combines the settings of this server with the settings of the mounted servers.
    pub(in crate::server) fn join_settings(&self, settings: &mut Settings) {
        for (index, mount) in self.mounts.iter().enumerate() {
            let theirs = mount.server.settings();
            settings.logging |= theirs.logging;
            settings.filter_by_scopes |= theirs.filter_by_scopes;
            let requirement = &mut settings.rules.requirement;
            *requirement = requirement.and(&theirs.rules.requirement);
            if !is_among(&self.mounts[..index], &mount.server) {
                let mount = Arc::clone(mount);
                let at = move |context: &Context| context.within(&mount.server, &mount.namespace);
                let extensions = &mut settings.extensions;
                extensions.mount(&theirs.extensions, &theirs.scopes, &theirs.layers, at);
            }
        }
    }

    pub(in crate::server) fn router(&self, settings: &Arc<Settings>) -> Router {
        let mut introduction = self.introduction.clone();
        for mount in &self.mounts {
            let inner = mount.server.state.current();
            introduction.add(&inner.introduction, |prefix| mount.namespace.name(prefix));
        }
        Router::new(
            Arc::clone(settings),
            introduction,
            Catalog::new(&self.tools, settings),
            Catalog::new(&self.prompts, settings),
            Catalog::new(&self.resources, settings),
        )
    }

    pub(in crate::server) fn update_mounted(&mut self, index: usize) {
        let Some(mount) = self.mounts.get(index) else {
            return;
        };
        let inner = mount.server.state.current();
        update(&mut self.tools, index, mount, &inner.tools, mounted_tool);
        let prompts = &inner.prompts;
        let resources = &inner.resources;
        update(&mut self.prompts, index, mount, prompts, mounted_prompt);
        update(
            &mut self.resources,
            index,
            mount,
            resources,
            mounted_resource,
        );
    }
}

fn update<R: CatalogEntry>(
    ours: &mut Entries<R>,
    index: usize,
    mount: &Arc<Mount>,
    inner: &Catalog<R>,
    mounted: fn(&Arc<R>, &Arc<Mount>, Visibility<R>) -> R,
) {
    let entries = inner.entries.iter();
    let entries = entries.map(|(_, entry)| mounted(entry, mount, mount.visibility(entry, inner)));
    ours.replace_mounted(index, entries.collect());
}

impl Mount {
    /// # Panics
    ///
    /// Panics if `prefix` is not allowed, or if the server has no entries because it is a proxy.
    pub(in crate::server) fn new(prefix: &str, server: Server) -> Self {
        assert!(
            !server.is_raw(),
            "a proxy can't be mounted, because it has no entries: make the other servers upstreams of \
             `Proxy::several` as well"
        );
        let namespace = Namespace::new(prefix);
        Self { namespace, server }
    }

    /// Makes the mounted server pass its changes on to `outer`, where it has this index.
    pub(in crate::server) fn relay(&self, outer: &Arc<ServerState>, index: usize) {
        let mut relays = lock(&self.server.state.relays);
        relays.retain(|relay| relay.outer.strong_count() > 0);
        relays.push(Relay {
            outer: Arc::downgrade(outer),
            index,
            namespace: self.namespace.clone(),
        });
    }

    fn layers(&self) -> Option<&Stack> {
        self.server.settings().layers.as_ref()
    }

    /// Returns the scopes that an entry of the mounted server needs: its own scopes and the scopes
    /// of the server.
    fn scopes<R: CatalogEntry>(&self, inner: &R) -> Scopes {
        self.server.settings().scopes.and(inner.needed_scopes())
    }

    /// Returns the visibility of `inner`, an entry of `catalog`, in the outer server.
    fn visibility<R: CatalogEntry>(&self, inner: &Arc<R>, catalog: &Catalog<R>) -> Visibility<R> {
        let filter = catalog.visibility.clone();
        if !filter.is_limited() && !inner.visibility().is_limited() {
            return Visibility::default();
        }
        let inner = Arc::clone(inner);
        let namespace = self.namespace.clone();
        Visibility::limited(move |_: &R, name: &str, context: &Context| {
            let own = namespace.strip(name);
            let name = own.as_deref().unwrap_or(name);
            inner.visibility().shows(&inner, name, context) && filter.shows(&inner, name, context)
        })
    }
}

impl Relay {
    /// Passes a change on to the outer server. Returns true if any client may listen to it.
    pub(in crate::server) fn publish(&self, change: &Change) -> bool {
        let Some(outer) = self.outer.upgrade() else {
            return false;
        };
        if let Change::Resource(uri) = change {
            return outer.publish(Change::Resource(self.namespace.uri(uri)));
        }
        outer.change(|registry| {
            registry.update_mounted(self.index);
            BTreeSet::from([change.clone()])
        });
        true
    }
}

fn mounted_tool(
    inner: &Arc<ToolEntry>,
    mount: &Arc<Mount>,
    visibility: Visibility<ToolEntry>,
) -> ToolEntry {
    let scopes = mount.scopes(&**inner);
    let name = mount.namespace.name(&inner.name);
    let described = Arc::clone(inner);
    let namespace = mount.namespace.clone();
    let tool = move || {
        let mut tool = Tool::clone(&described.tool);
        tool.name = namespace.name(&tool.name);
        if let Some(meta) = &mut tool.meta {
            namespace.add_to_pages(meta);
        }
        tool
    };
    let serve = around_tool(mount.layers(), &inner.name, Arc::clone(&inner.handler));
    let mount = Arc::clone(mount);
    let handler = move |call: ToolCall<'_>| {
        let context = &call.context.within(&mount.server, &mount.namespace);
        let mount = Arc::clone(&mount);
        let reply = serve(ToolCall { context, ..call });
        reply.then_complete(move |result| Ok(mount.tool_result(result)))
    };
    let mut entry = ToolEntry::lazy(name, tool, Arc::new(handler));
    entry.wrapped_schema.clone_from(&inner.wrapped_schema);
    entry.needs.clone_from(&inner.needs);
    entry.param_headers.clone_from(&inner.param_headers);
    entry.visibility = visibility;
    entry.scopes = scopes;
    entry.asks = inner.asks;
    entry
}

fn mounted_prompt(
    inner: &Arc<PromptEntry>,
    mount: &Arc<Mount>,
    visibility: Visibility<PromptEntry>,
) -> PromptEntry {
    let scopes = mount.scopes(&**inner);
    let mut prompt = inner.prompt.clone();
    prompt.name = mount.namespace.name(&prompt.name);
    let handler = Arc::clone(&inner.handler);
    let serve = around_prompt(mount.layers(), &inner.prompt.name, handler);
    let mount = Arc::clone(mount);
    let mut entry = PromptEntry::new(prompt, move |call| {
        let context = &call.context.within(&mount.server, &mount.namespace);
        let mount = Arc::clone(&mount);
        let reply = serve(PromptCall { context, ..call });
        reply.then(move |result| Ok(mount.prompt_result(result)))
    });
    entry.completers = inner.completers.clone();
    entry.visibility = visibility;
    entry.scopes = scopes;
    entry.asks = inner.asks;
    entry
}

fn mounted_resource(
    inner: &Arc<ResourceEntry>,
    mount: &Arc<Mount>,
    visibility: Visibility<ResourceEntry>,
) -> ResourceEntry {
    let scopes = mount.scopes(&**inner);
    let mut listed = inner.listed.clone();
    let uri = listed.uri_mut();
    *uri = mount.namespace.uri(uri);
    let template = inner.template.prefixed(&mount.namespace);
    let serve = around_resource(mount.layers(), inner, Arc::clone(&inner.handler));
    let outer = Arc::clone(mount);
    let handler = move |call: ResourceCall<'_>| {
        let context = &call.context.within(&outer.server, &outer.namespace);
        let mount = Arc::clone(&outer);
        let own = mount.namespace.strip(call.uri);
        let reply = serve(ResourceCall {
            uri: own.as_deref().unwrap_or(call.uri),
            context,
            ..call
        });
        reply.then(move |contents| Ok(mount.contents(contents)))
    };
    let mut entry = ResourceEntry::new(listed, template, handler);
    if let Some(on_subscribe) = inner.on_subscribe.clone() {
        let namespace = mount.namespace.clone();
        entry.on_subscribe = Some(Arc::new(move |uri| {
            on_subscribe(namespace.strip(uri).as_deref().unwrap_or(uri));
        }));
    }
    entry.lister = inner.lister.clone().map(|inner| lister(inner, mount));
    entry.completers = inner.completers.clone();
    entry.caching = inner.caching.clone();
    entry.visibility = visibility;
    entry.scopes = scopes;
    entry.asks = inner.asks;
    entry
}

/// Wraps a lister of a mounted server, to convert the URIs for the outer server.
fn lister(inner: Lister, mount: &Arc<Mount>) -> Lister {
    let namespace = mount.namespace.clone();
    let mount = Arc::clone(mount);
    Arc::new(move |mut part| {
        part.context = part.context.within(&mount.server, &mount.namespace);
        let after = part.after.as_deref().and_then(|uri| namespace.strip(uri));
        part.after = after.map(Cow::into_owned);
        let found = inner(part);
        let namespace = namespace.clone();
        Box::pin(async move {
            let mut resources = found.await?;
            for resource in &mut resources {
                resource.uri = namespace.uri(&resource.uri);
            }
            Ok(resources)
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

    /// Adds the prefix to the URI in a block, but only if the mounted server has this resource,
    /// because other links lead elsewhere.
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

/// Returns the prefix for a server whose name is any string, such as a name from a file. See
/// [`ServerBuilder::mount`](crate::ServerBuilder::mount).
///
/// Each run of characters other than ASCII letters and digits becomes one `-`, and is removed at both
/// ends. The first `_` of a name such as `my-shop_find` therefore ends the prefix.
///
/// Returns `None` if the prefix would be empty or begin with a digit, because a URI scheme begins with
/// a letter (RFC 3986, section 3.1). Different names may have the same prefix. Compare prefixes
/// without case, as schemes are compared.
///
/// ```
/// use mcp_runtime::server::mount_prefix;
///
/// assert_eq!(mount_prefix("my_shop").as_deref(), Some("my-shop"));
/// assert_eq!(mount_prefix("@acme/shop (local)").as_deref(), Some("acme-shop-local"));
/// assert_eq!(mount_prefix("2shops"), None);
/// ```
#[must_use]
pub fn mount_prefix(name: &str) -> Option<String> {
    let words = name.split(|it: char| !it.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let prefix = words.join("-");
    let begins = prefix.starts_with(|it: char| it.is_ascii_alphabetic());
    begins.then_some(prefix)
}

#[cfg(test)]
mod tests {
    use super::{Namespace, mount_prefix};

    #[test]
    fn each_name_has_a_prefix_that_can_be_mounted_or_none() {
        for (name, prefix) in [
            ("shop", "shop"),
            ("my_shop", "my-shop"),
            ("acme/shop", "acme-shop"),
            ("__My..shop -- 2__", "My-shop-2"),
            ("caf\u{e9} \u{2615} bar", "caf-bar"),
            ("cursor:weather", "cursor-weather"),
        ] {
            let found = mount_prefix(name).unwrap();
            assert_eq!(found, prefix);
            Namespace::new(&found);
            assert_eq!(mount_prefix(&found).as_ref(), Some(&found));
        }
        for name in ["", "_", "\u{5e97}", "2shops", "-1a"] {
            assert_eq!(mount_prefix(name), None, "{name}");
        }
    }
}
