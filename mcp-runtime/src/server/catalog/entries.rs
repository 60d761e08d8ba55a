//! All entries of one kind that a server has, including disabled and hidden ones.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::server::resources::ResourceEntry;
use crate::server::{Context, Scopes};

/// All entries of one kind, in the order in which they are listed.
///
/// Entries of the server itself and of mounted servers may share a name. In this case, the server
/// offers its own entry, or else the entry of the server that was mounted first.
#[derive(Debug)]
pub(in crate::server) struct Entries<R> {
    slots: Vec<Registered<R>>,
    /// The number of the next entry. Numbers are never reused, because cursors refer to them.
    next: u64,
    pub(super) visibility: Visibility<R>,
}

#[derive(Debug)]
struct Registered<R> {
    number: u64,
    enabled: bool,
    /// The index of the mounted server that the entry comes from; `None` for the server's own
    /// entries.
    mount: Option<usize>,
    entry: Arc<R>,
}

impl<R: CatalogEntry> Entries<R> {
    /// Adds an entry of the server itself. `kind` is only for the message of the panic.
    ///
    /// # Panics
    ///
    /// When the server already has an entry with this name.
    #[track_caller]
    pub(super) fn declare(&mut self, kind: &str, entry: R) {
        let name = entry.name();
        assert!(
            self.position(name, None).is_none(),
            "the server has a {kind} `{name}` already: rename one of them"
        );
        self.push(entry, None);
    }

    /// Adds an entry of the server itself, or of the mounted server with the index `mount`. If this
    /// server has an entry with the same name, the new entry takes its place.
    pub(super) fn put(&mut self, mount: Option<usize>, entry: R) {
        match self.position(entry.name(), mount) {
            Some(position) => self.slots[position].entry = Arc::new(entry.layered()),
            None => self.push(entry, mount),
        }
    }

    /// Removes the server's own entry called `name`. Returns true if it existed.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let position = self.position(name, None);
        position
            .map(|position| self.slots.remove(position))
            .is_some()
    }

    /// Enables or disables all entries called `name`, including entries of mounted servers. Returns
    /// true if this changes any entry.
    pub(super) fn enable(&mut self, name: &str, enabled: bool) -> bool {
        let mut changed = false;
        for slot in &mut self.slots {
            if slot.entry.name() == name && slot.enabled != enabled {
                slot.enabled = enabled;
                changed = true;
            }
        }
        changed
    }

    /// Replaces all entries of the mounted server with the index `mount`. Entries whose names
    /// existed before keep their places.
    pub(in crate::server) fn replace_mounted(&mut self, mount: usize, entries: Vec<R>) {
        let keeps = |slot: &Registered<R>| {
            let mut entries = entries.iter();
            entries.any(|entry| entry.name() == slot.entry.name())
        };
        self.slots
            .retain(|slot| slot.mount != Some(mount) || keeps(slot));
        for entry in entries {
            self.put(Some(mount), entry);
        }
    }

    /// Returns the entries, with their numbers, that are enabled and not hidden by another entry
    /// with the same name.
    pub(super) fn offered(&self) -> Vec<(u64, Arc<R>)> {
        let mut origins = HashMap::with_capacity(self.slots.len());
        for slot in &self.slots {
            let origin = origins.entry(slot.entry.name()).or_insert(slot.mount);
            // `None`, which is the server itself, is less than the index of any mounted server.
            *origin = slot.mount.min(*origin);
        }
        let offered = self
            .slots
            .iter()
            .filter(|slot| slot.enabled && origins.get(slot.entry.name()) == Some(&slot.mount));
        offered
            .map(|slot| (slot.number, Arc::clone(&slot.entry)))
            .collect()
    }

    fn position(&self, name: &str, mount: Option<usize>) -> Option<usize> {
        let mut slots = self.slots.iter();
        slots.position(|slot| slot.mount == mount && slot.entry.name() == name)
    }

    /// Adds an entry at the end. It is disabled if another entry with its name is disabled.
    fn push(&mut self, entry: R, mount: Option<usize>) {
        let name = entry.name();
        let mut namesakes = self.slots.iter().filter(|slot| slot.entry.name() == name);
        let enabled = namesakes.clone().all(|slot| slot.enabled);
        if namesakes.next().is_some() {
            crate::log::warn!(
                name,
                "two entries have this name, so one hides the other: mount the server under a prefix"
            );
        }
        self.slots.push(Registered {
            number: self.next,
            enabled,
            mount,
            entry: Arc::new(entry.layered()),
        });
        self.next += 1;
    }
}

impl Entries<ResourceEntry> {
    /// Returns true if the server itself has a resource with the same description.
    pub(super) fn contains(&self, resource: &ResourceEntry) -> bool {
        let found = self.position(resource.name(), None);
        found.is_some_and(|position| self.slots[position].entry.listed == resource.listed)
    }
}

impl<R> Default for Entries<R> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            next: 0,
            visibility: Visibility::default(),
        }
    }
}

/// A tool, a prompt, a resource or a resource template.
pub(in crate::server) trait CatalogEntry:
    fmt::Debug + Send + Sync + Sized + 'static
{
    /// The name, the URI, or the text of the URI template.
    fn name(&self) -> &str;

    /// A second spelling under which the entry is found, if it has one.
    fn normalized_name(&self) -> Option<String> {
        None
    }

    fn visibility(&self) -> &Visibility<Self>;

    fn needed_scopes(&self) -> &Scopes;

    /// Returns true if any of the entry's arguments can be completed.
    fn completes(&self) -> bool {
        false
    }

    /// Wraps the handler in the entry's layers. Called when the entry is registered.
    fn layered(self) -> Self;
}

/// A condition on an entry, its requested name or URI, and the caller. By default, it is always
/// true.
pub(in crate::server) struct Visibility<R>(Option<Arc<Shows<R>>>);

type Shows<R> = dyn Fn(&R, &str, &Context) -> bool + Send + Sync;

impl<R> Visibility<R> {
    pub(in crate::server) fn limited(
        shows: impl Fn(&R, &str, &Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(shows)))
    }

    pub(in crate::server) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    pub(in crate::server) fn shows(&self, entry: &R, name: &str, context: &Context) -> bool {
        let shows = self.0.as_ref();
        shows.is_none_or(|shows| shows(entry, name, context))
    }
}

impl<R> Clone for Visibility<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R> Default for Visibility<R> {
    fn default() -> Self {
        Self(None)
    }
}

impl<R> fmt::Debug for Visibility<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Visibility")
            .field(&self.is_limited())
            .finish()
    }
}
