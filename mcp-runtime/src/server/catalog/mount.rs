//! Servers within servers: a mounted server keeps its entries, and the server that mounts it has
//! entries that lead there, under names and URIs with a prefix.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, Weak};

use super::entries::{Entries, Entry, Visibility};
use super::mounted;
use super::namespace::Namespace;
use super::snapshot::Catalog;
use crate::protocol::Change;
use crate::server::handle::ServerState;
use crate::server::prompts::PromptRoute;
use crate::server::resources::ResourceRoute;
use crate::server::settings::{Introduction, Settings};
use crate::server::tools::ToolRoute;
use crate::server::{Context, Server, ServerBuilder};

/// Everything that a server has. Edits change it; requests read the snapshots that are made of it.
#[derive(Debug, Default)]
pub(in crate::server) struct Registry {
    /// Instructions and experimental capabilities of the server itself, without its mounts.
    pub(in crate::server) introduction: Introduction,
    pub(in crate::server) tools: Entries<ToolRoute>,
    pub(in crate::server) prompts: Entries<PromptRoute>,
    pub(in crate::server) resources: Entries<ResourceRoute>,
    pub(in crate::server) mounts: Vec<Arc<Mount>>,
}

/// A server within another one.
#[derive(Debug)]
pub(in crate::server) struct Mount {
    pub(in crate::server) namespace: Namespace,
    pub(in crate::server) server: Server,
}

/// The way of changes from a mounted server to one that mounts it.
#[derive(Clone, Debug)]
pub(in crate::server) struct Relay {
    pub(in crate::server) outer: Weak<ServerState>,
    /// The index of the mounted server in the outer one.
    index: usize,
    namespace: Namespace,
}

impl ServerBuilder {
    /// Offers everything that `server` offers as well, under names and URIs that begin with
    /// `prefix`: the tool `search` becomes `gh_search`, the resource `repo://main` becomes
    /// `gh+repo://main`. With an empty prefix, all keep their names. Of those that have one name, the
    /// entry of this server itself is offered, or else that of the server that was mounted first; a
    /// warning of `tracing` tells of the others, which come back when that one is removed.
    ///
    /// Changes of the mounted server appear here, and clients are notified. A handler's
    /// [`Context::server`](crate::Context::server) is the server that it belongs to.
    ///
    /// Settings of the whole server are joined: its instructions follow those of this one, under
    /// a heading that names the prefix, if there is one; its experimental capabilities are offered;
    /// its extensions are declared and their methods served, its hooks run where it was mounted among
    /// those of this one, clients have to have what either of them
    /// [requires](Self::requires), and are sent what its handlers log. How lists are cut and kept,
    /// the revisions, the name and the keys that seal state are those of this one.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolSpec, argument};
    ///
    /// let mut github = Server::builder();
    /// let search = ToolSpec::new("search").arguments((argument::<String>("text"),));
    /// github.tool(search.call(|(text,), _| format!("nothing about {text}")));
    ///
    /// let mut server = Server::builder();
    /// server.mount("gh", &github.build());
    /// assert_eq!(server.build().tools()[0].name, "gh_search");
    /// ```
    ///
    /// # Panics
    ///
    /// When the prefix is not empty, and no letter that is followed by letters, digits, `-` and `.`.
    pub fn mount(&mut self, prefix: &str, server: &Server) -> &mut Self {
        // Under a second prefix it is still one server, which starts once.
        if !is_mounted(&self.registry.mounts, server) {
            self.settings.hooks.mount(&server.settings().hooks);
        }
        self.settings.dynamic.extend(&server.settings().dynamic);
        self.registry.mounts.push(Arc::new(Mount {
            namespace: Namespace::new(prefix),
            server: server.clone(),
        }));
        self
    }
}

fn is_mounted(mounts: &[Arc<Mount>], server: &Server) -> bool {
    let mut mounts = mounts.iter();
    mounts.any(|mount| Arc::ptr_eq(&mount.server.state, &server.state))
}

/// Adds to the settings of a server those of its mounts that hold for it as a whole.
///
/// # Panics
///
/// When mounted servers declare one extension with different settings, or both serve one of its
/// methods.
pub(in crate::server) fn join_settings(settings: &mut Settings, mounts: &[Arc<Mount>]) {
    for (index, mount) in mounts.iter().enumerate() {
        let theirs = mount.server.settings();
        settings.logging |= theirs.logging;
        let requirement = &mut settings.rules.requirement;
        *requirement = requirement.and(&theirs.rules.requirement);
        if !is_mounted(&mounts[..index], &mount.server) {
            let server = mount.server.clone();
            let at = move |context: &Context| context.at(&server);
            settings.extensions.mount(&theirs.extensions, at);
        }
    }
}

impl Registry {
    /// Brings the entries of the mounted server with this index up to date.
    pub(in crate::server) fn update_mounted(&mut self, index: usize) {
        let Some(mount) = self.mounts.get(index) else {
            return;
        };
        let inner = mount.server.state.current();
        update(&mut self.tools, index, mount, &inner.tools, mounted::tool);
        let (prompts, resources) = (&inner.prompts, &inner.resources);
        update(&mut self.prompts, index, mount, prompts, mounted::prompt);
        update(
            &mut self.resources,
            index,
            mount,
            resources,
            mounted::resource,
        );
    }
}

fn update<R: Entry>(
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
    /// Has the mounted server pass on its changes to `outer`, where it has this index.
    pub(in crate::server) fn relay(&self, outer: &Arc<ServerState>, index: usize) {
        let relays = self.server.state.relays.lock();
        let mut relays = relays.unwrap_or_else(PoisonError::into_inner);
        relays.retain(|relay| relay.outer.strong_count() > 0);
        relays.push(Relay {
            outer: Arc::downgrade(outer),
            index,
            namespace: self.namespace.clone(),
        });
    }

    /// The visibility that `inner`, an entry that `catalog` offers, has in the outer server.
    fn visibility<R: Entry>(&self, inner: &Arc<R>, catalog: &Catalog<R>) -> Visibility<R> {
        let filter = catalog.visibility.clone();
        if !filter.is_limited() && !inner.visibility().is_limited() {
            return Visibility::default();
        }
        let (inner, namespace) = (Arc::clone(inner), self.namespace.clone());
        Visibility::limited(move |_: &R, name: &str, context: &Context| {
            let name = namespace.strip(name);
            inner.visibility().shows(&inner, name, context) && filter.shows(&inner, name, context)
        })
    }
}

impl Relay {
    /// Passes a change on to the outer server. Returns whether any client listens to it.
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
