//! The state of a server: its registry, and the router that is made of it after each edit.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use tokio::task::JoinSet;

use super::Server;
use super::catalog::{Registry, Relay};
use super::changes::{Change, Changes};
use super::router::Router;
use super::settings::Settings;
use crate::limits::MAX_UNMATCHED_WARNINGS;

/// State shared by all handles to a server.
#[derive(Debug)]
pub(super) struct ServerState {
    settings: Arc<Settings>,
    pub(super) registry: Mutex<Registry>,
    /// Replaced whole by each edit.
    router: RwLock<Arc<Router>>,
    /// The number of edits, by which handles know without a lock whether there is a new router.
    generation: AtomicU64,
    changes: Changes,
    /// The task of a proxy, which ends with the server.
    #[allow(dead_code, reason = "only proxies have one")]
    pub(super) task: OnceLock<JoinSet<()>>,
    /// The ways of changes to the servers that mount this one.
    pub(super) relays: Mutex<Vec<Relay>>,
    /// The URIs of announcements that were logged, as no resource has them.
    unmatched: Mutex<HashSet<String>>,
}

impl ServerState {
    fn new(settings: Settings, registry: Registry) -> Self {
        let settings = Arc::new(settings);
        let router = Router::new(Arc::clone(&settings), &registry);
        Self {
            settings,
            registry: Mutex::new(registry),
            router: RwLock::new(Arc::new(router)),
            generation: AtomicU64::new(0),
            changes: Changes::default(),
            task: OnceLock::new(),
            relays: Mutex::default(),
            unmatched: Mutex::default(),
        }
    }

    pub(super) fn current(&self) -> Arc<Router> {
        let router = self.router.read();
        Arc::clone(&router.unwrap_or_else(PoisonError::into_inner))
    }

    /// Edits the registry, and tells clients of the changes that `edit` returns.
    pub(super) fn change(&self, edit: impl FnOnce(&mut Registry) -> BTreeSet<Change>) {
        let mut changed = BTreeSet::new();
        self.edit(|registry| {
            changed = edit(registry);
            !changed.is_empty()
        });
        for change in changed {
            self.publish(change);
        }
    }

    /// Edits the registry without telling clients. `edit` returns whether anything has changed.
    pub(super) fn edit(&self, edit: impl FnOnce(&mut Registry) -> bool) -> bool {
        let registry = self.registry.lock();
        let mut registry = registry.unwrap_or_else(PoisonError::into_inner);
        let changed = edit(&mut registry);
        if changed {
            let router = Router::new(Arc::clone(&self.settings), &registry);
            *self.router.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(router);
            self.generation.fetch_add(1, Ordering::Release);
        }
        changed
    }

    /// Notifies clients, and the servers that mount this one, of a change. Returns whether any client
    /// listens to it.
    pub(super) fn publish(&self, change: Change) -> bool {
        let change = match change {
            Change::Resource(uri) => {
                let current = self.current();
                let canonical = current.resources.canonical(&uri).map(Cow::into_owned);
                Change::Resource(canonical.unwrap_or(uri))
            }
            list => list,
        };
        let mut heard = false;
        for relay in self.relays() {
            heard |= relay.publish(&change);
        }
        self.changes.publish(change) || heard
    }

    pub(super) fn relays(&self) -> Vec<Relay> {
        let relays = self.relays.lock();
        relays.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Server {
    /// Logs a change of a resource that does not exist, once for each URI.
    pub(super) fn check_announced(&self, change: &Change) {
        let Change::Resource(uri) = change else {
            return;
        };
        if self.router().resources.canonical(uri).is_some() {
            return;
        }
        let unmatched = self.state.unmatched.lock();
        let mut unmatched = unmatched.unwrap_or_else(PoisonError::into_inner);
        if unmatched.len() < MAX_UNMATCHED_WARNINGS && unmatched.insert(uri.clone()) {
            tracing::warn!(uri, "a change was announced of a URI that no resource has");
        }
    }

    pub(super) fn start(settings: Settings, registry: Registry) -> Self {
        let mounts = registry.mounts.clone();
        let state = Arc::new(ServerState::new(settings, registry));
        for (index, mount) in mounts.iter().enumerate() {
            mount.relay(&state, index);
        }
        Self {
            seen: state.current(),
            generation: 0,
            state,
        }
    }

    /// The router for a request that comes now. Unless the server was edited since this handle was
    /// last [refreshed](Self::refresh), no lock is taken.
    pub(super) fn router(&self) -> Cow<'_, Arc<Router>> {
        match self.edits() == self.generation {
            true => Cow::Borrowed(&self.seen),
            false => Cow::Owned(self.state.current()),
        }
    }

    /// Keeps the newest router in this handle.
    pub(super) fn refresh(&mut self) {
        let generation = self.edits();
        if generation != self.generation {
            self.seen = self.state.current();
            self.generation = generation;
        }
    }

    /// Returns whether both are handles to one server.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// The number of edits of the server so far.
    pub(crate) fn edits(&self) -> u64 {
        self.state.generation.load(Ordering::Acquire)
    }

    pub(super) fn settings(&self) -> &Arc<Settings> {
        &self.state.settings
    }

    pub(super) fn changes(&self) -> &Changes {
        &self.state.changes
    }
}
