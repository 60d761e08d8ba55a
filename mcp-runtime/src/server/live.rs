//! What a server offers right now.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::changes::{Change, Changes};
use super::edit::{Catalog, FixedList};
use super::mount::Relays;
use super::router::Router;
use super::settings::Settings;
use super::{List, Server};
use crate::limits::MAX_UNMATCHED_WARNINGS;

/// The router of a server, replaced whole when the server is edited.
#[derive(Debug)]
pub(super) struct Live {
    settings: Arc<Settings>,
    pub(super) inventory: Mutex<Catalog>,
    current: RwLock<Arc<Router>>,
    /// Grows with each replacement, so that whoever has seen the last one need not ask for it.
    generation: AtomicU64,
    changes: Changes,
    pub(super) relays: Relays,
    /// The URIs of announcements that were logged, as no resource has them.
    unmatched: Mutex<HashSet<String>>,
}

/// The router that serves a request.
pub(super) enum Current<'a> {
    /// The one that the handle has seen last.
    Seen(&'a Arc<Router>),
    /// A newer one.
    Newer(Arc<Router>),
}

impl Live {
    pub(super) fn new(settings: Settings, inventory: Catalog) -> Self {
        let settings = Arc::new(settings);
        let router = Router::new(Arc::clone(&settings), &inventory);
        Self {
            settings,
            inventory: Mutex::new(inventory),
            current: RwLock::new(Arc::new(router)),
            generation: AtomicU64::new(0),
            changes: Changes::default(),
            relays: Relays::default(),
            unmatched: Mutex::default(),
        }
    }

    /// Logs that a change was announced of `uri`, which no resource has; once for each URI.
    fn log_unmatched(&self, uri: &str) {
        let unmatched = self.unmatched.lock();
        let mut unmatched = unmatched.unwrap_or_else(PoisonError::into_inner);
        if unmatched.len() < MAX_UNMATCHED_WARNINGS && unmatched.insert(uri.to_owned()) {
            tracing::warn!(uri, "a change was announced of a URI that no resource has");
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn current(&self) -> Arc<Router> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at what the server has.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Catalog) -> T) -> T {
        let inventory = self.inventory.lock();
        look(&inventory.unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes what the server has, and tells the clients what `edit` says has changed.
    pub(super) fn change(&self, edit: impl FnOnce(&mut Catalog) -> Vec<Change>) {
        let changes = {
            let inventory = self.inventory.lock();
            let mut inventory = inventory.unwrap_or_else(PoisonError::into_inner);
            let changes = edit(&mut inventory);
            if changes.is_empty() {
                return;
            }
            self.renew(&inventory, &changes);
            changes
        };
        for change in changes {
            self.publish(change);
        }
    }

    /// Serves from now on what `inventory` has, in which `changes` have been made.
    pub(super) fn renew(&self, inventory: &Catalog, changes: &[Change]) {
        let edited = Arc::new(self.current().edited(inventory, changes));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = edited;
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Tells clients what has changed, and the servers that mount this one. Says whether anybody
    /// wanted to know.
    pub(super) fn publish(&self, change: Change) -> bool {
        let change = match change {
            Change::Resource(uri) => {
                let current = self.current();
                let canonical = current.canonical_uri(&uri).map(Cow::into_owned);
                Change::Resource(canonical.unwrap_or(uri))
            }
            list => list,
        };
        let passed_on = self.relays.pass_on(&change);
        self.changes.publish(change) || passed_on
    }
}

impl Server {
    /// Logs an announcement that nobody can have subscribed to.
    pub(super) fn check_announced(&self, change: &Change) {
        if let Change::Resource(uri) = change
            && self.router().canonical_uri(uri).is_none()
        {
            self.live.log_unmatched(uri);
        }
    }

    pub(super) fn start(settings: Settings, inventory: Catalog) -> Self {
        let mounts = inventory.mounts.clone();
        let live = Arc::new(Live::new(settings, inventory));
        for (index, mount) in mounts.iter().enumerate() {
            mount.relay(&live, index);
        }
        Self {
            seen: live.current(),
            generation: live.generation(),
            live,
        }
    }

    /// The router that serves a request which comes now.
    pub(super) fn router(&self) -> Current<'_> {
        if self.edits() == self.generation {
            Current::Seen(&self.seen)
        } else {
            Current::Newer(self.live.current())
        }
    }

    /// Remembers the newest router, so that this handle need not ask for it again.
    pub(super) fn refresh(&mut self) {
        let generation = self.edits();
        if generation != self.generation {
            self.seen = self.live.current();
            self.generation = generation;
        }
    }

    /// Whether both are handles to one server.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.live, &other.live)
    }

    /// How often the server was edited.
    pub(crate) fn edits(&self) -> u64 {
        self.live.generation()
    }

    pub(super) fn settings(&self) -> &Arc<Settings> {
        &self.live.settings
    }

    pub(super) fn changes(&self) -> &Changes {
        &self.live.changes
    }

    pub(super) fn check_dynamic(&self, list: List, untouched: bool) -> Result<(), FixedList> {
        if untouched || self.settings().dynamic.contains(list) {
            return Ok(());
        }
        Err(FixedList(list))
    }
}

impl Deref for Current<'_> {
    type Target = Router;

    fn deref(&self) -> &Router {
        match self {
            Self::Seen(router) => router,
            Self::Newer(router) => router,
        }
    }
}
