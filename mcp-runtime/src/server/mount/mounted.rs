//! The routes that lead to a mounted server.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Links, Namespace};
use crate::server::Server;
use crate::server::changes::Change;
use crate::server::edit::Catalog;
use crate::server::live::Live;
use crate::server::prompts::PromptRoute;
use crate::server::resources::ResourceRoute;
use crate::server::router::Router;
use crate::server::routes::{CatalogEntry, Named};
use crate::server::tools::ToolRoute;

/// A server within another one.
#[derive(Clone, Debug)]
pub(in crate::server) struct Mount(Arc<Links>);

/// Where a mounted server passes on what changes.
#[derive(Debug)]
pub(in crate::server) struct Relay {
    /// The server that mounts.
    pub(in crate::server) outer: Weak<Live>,
    /// Which of its mounts this is.
    index: usize,
    namespace: Namespace,
}

/// All servers that mount one.
#[derive(Default)]
pub(in crate::server) struct Relays(Mutex<Vec<Arc<Relay>>>);

impl Mount {
    pub(in crate::server) fn new(prefix: &str, server: Server) -> Self {
        let namespace = Namespace::new(prefix);
        Self(Arc::new(Links { namespace, server }))
    }

    pub(super) fn links(&self) -> &Links {
        &self.0
    }

    /// Who says what of the mounted server as a whole, and how its names begin here.
    pub(in crate::server) fn introduction(&self) -> (&Namespace, Arc<Router>) {
        (&self.0.namespace, self.0.server.live.current())
    }

    /// Has the mounted server pass on to `outer` what changes, as its mount number `index`.
    pub(in crate::server) fn relay(&self, outer: &Arc<Live>, index: usize) {
        let relay = Relay {
            outer: Arc::downgrade(outer),
            index,
            namespace: self.0.namespace.clone(),
        };
        self.0.server.live.relays.add(relay);
    }

    /// Brings what `inventory` has of the mounted server up to date.
    pub(in crate::server) fn sync(&self, index: usize, inventory: &mut Catalog, what: &Change) {
        let links = &self.0;
        links.server.live.look(|mounted| match what {
            Change::Tools => sync(index, &mut inventory.tools, &mounted.tools, |route| {
                ToolRoute::mounted(route, links)
            }),
            Change::Prompts => sync(index, &mut inventory.prompts, &mounted.prompts, |route| {
                PromptRoute::mounted(route, links)
            }),
            Change::Resources => {
                sync(
                    index,
                    &mut inventory.resources,
                    &mounted.resources,
                    |route| ResourceRoute::mounted(route, links),
                );
            }
            Change::Resource(_) => {}
        });
    }
}

fn sync<R: Named>(
    index: usize,
    ours: &mut CatalogEntry<R>,
    theirs: &CatalogEntry<R>,
    wrap: impl Fn(&Arc<R>) -> R,
) {
    let mut routes = Vec::new();
    for route in theirs.routes().all() {
        routes.push(wrap(route));
    }
    ours.sync(index, routes);
}

impl Relays {
    fn add(&self, relay: Relay) {
        let mut relays = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        relays.retain(|relay| relay.outer.strong_count() > 0);
        relays.push(Arc::new(relay));
    }

    /// Where each server that mounts this one is told.
    pub(in crate::server) fn all(&self) -> Vec<Arc<Relay>> {
        let relays = self.0.lock();
        relays.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells the servers that mount this one what has changed, and whether anybody wanted to know.
    pub(in crate::server) fn pass_on(&self, change: &Change) -> bool {
        let mut told = false;
        for relay in self.all() {
            told |= relay.pass_on(change);
        }
        told
    }
}

impl Relay {
    fn pass_on(&self, change: &Change) -> bool {
        let Some(outer) = self.outer.upgrade() else {
            return false;
        };
        match change {
            Change::Resource(uri) => outer.publish(Change::Resource(self.namespace.uri(uri))),
            list => {
                outer.change(|inventory| {
                    if let Some(mount) = inventory.mounts.get(self.index).cloned() {
                        mount.sync(self.index, inventory, list);
                    }
                    vec![list.clone()]
                });
                true
            }
        }
    }
}

impl fmt::Debug for Relays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relays").finish_non_exhaustive()
    }
}
