//! Servers within servers: a mounted server keeps its entries, and the server that mounts it has
//! entries that lead there, under names and URIs with a prefix.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::entries::{Entries, Registry};
use super::entries::{Entry, Visibility};
use super::lists::List;
use super::namespace::Namespace;
use super::snapshot::Catalog;
use crate::server::changes::Change;
use crate::server::settings::Settings;
use crate::server::state::ServerState;
use crate::server::{Context, Server, ServerBuilder};

/// A server within another one.
#[derive(Debug)]
pub(in crate::server) struct Mount {
    pub(in crate::server) namespace: Namespace,
    pub(in crate::server) server: Server,
}

/// The servers that mount one, which are told of its changes.
#[derive(Debug, Default)]
pub(in crate::server) struct Outer(Mutex<Vec<Relay>>);

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
            self.settings.hooks.mount(server);
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
    mounts.iter().any(|mount| mount.server.is_same(server))
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
        settings.requirement = settings.requirement.and(&theirs.requirement);
        if !is_mounted(&mounts[..index], &mount.server) {
            settings.extensions.mount(&mount.server);
        }
    }
}

impl Registry {
    /// Adds entries for everything that mounted servers offer.
    pub(in crate::server) fn add_mounted(&mut self) {
        for index in 0..self.mounts.len() {
            for list in List::ALL {
                self.update_mounted(index, list);
            }
        }
    }

    /// Brings one list of the mounted server with this index up to date.
    fn update_mounted(&mut self, index: usize, list: List) {
        let Some(mount) = self.mounts.get(index) else {
            return;
        };
        let inner = mount.server.state.current();
        match list {
            List::Tools => update(&mut self.tools, index, mount, &inner.tools),
            List::Prompts => update(&mut self.prompts, index, mount, &inner.prompts),
            List::Resources => update(&mut self.resources, index, mount, &inner.resources),
        }
    }
}

fn update<R: Entry>(ours: &mut Entries<R>, index: usize, mount: &Arc<Mount>, inner: &Catalog<R>) {
    let entries = inner.entries().iter().map(|(_, entry)| {
        let visibility = mount.visibility(entry, inner);
        R::mounted(entry, mount, visibility)
    });
    ours.replace_mounted(index, entries.collect());
}

impl Mount {
    /// Has the mounted server pass on its changes to `outer`, where it has this index.
    pub(in crate::server) fn relay(&self, outer: &Arc<ServerState>, index: usize) {
        let relays = &self.server.state.outer.0;
        let mut relays = relays.lock().unwrap_or_else(PoisonError::into_inner);
        relays.retain(|relay| relay.outer.strong_count() > 0);
        relays.push(Relay {
            outer: Arc::downgrade(outer),
            index,
            namespace: self.namespace.clone(),
        });
    }

    /// The innermost server that has an entry: the mounted one, or what that has mounted itself.
    pub(in crate::server) fn home(&self, inner: Option<&Server>) -> Server {
        inner.unwrap_or(&self.server).clone()
    }

    /// The visibility that `inner`, an entry that `catalog` offers, has in the outer server.
    fn visibility<R: Entry>(&self, inner: &Arc<R>, catalog: &Catalog<R>) -> Visibility<R> {
        let filter = catalog.visibility().clone();
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

impl Outer {
    pub(in crate::server) fn relays(&self) -> Vec<Relay> {
        let relays = self.0.lock();
        relays.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Passes a change on to the servers that mount this one. Returns whether any client listens to
    /// it.
    pub(in crate::server) fn publish(&self, change: &Change) -> bool {
        let mut heard = false;
        for relay in self.relays() {
            heard |= relay.publish(change);
        }
        heard
    }
}

impl Relay {
    fn publish(&self, change: &Change) -> bool {
        let Some(outer) = self.outer.upgrade() else {
            return false;
        };
        let list = match change {
            Change::Resource(uri) => {
                return outer.publish(Change::Resource(self.namespace.uri(uri)));
            }
            Change::Tools => List::Tools,
            Change::Prompts => List::Prompts,
            Change::Resources => List::Resources,
        };
        outer.change(|registry| {
            registry.update_mounted(self.index, list);
            BTreeSet::from([list])
        });
        true
    }
}
