//! The names of what a server offers, in the order in which it is listed.

use std::collections::HashMap;
use std::sync::Arc;

/// The names of all that a server has of one kind, switched on or not. What has the names stands
/// elsewhere, in the same order.
#[derive(Debug, Default)]
pub(super) struct Names {
    entries: Vec<Entry>,
    /// The number of the next entry. Numbers are not used again, so that a place in the list can
    /// be named by one.
    next: u64,
}

#[derive(Debug)]
struct Entry {
    name: Arc<str>,
    serial: u64,
    enabled: bool,
    /// The mounted server that it comes from.
    mount: Option<usize>,
}

/// What is switched on: its numbers, and where to find what has a name.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) serials: Vec<u64>,
    /// Where each name stands. A call costs the same however many there are.
    by_name: HashMap<Arc<str>, usize>,
}

/// What becomes of a name that comes from a mounted server.
pub(super) enum Claim {
    /// It is the mounted server's already, at this place.
    Old(usize),
    /// It stands at the end now.
    New,
    /// Whoever has it keeps it.
    Taken,
}

impl Names {
    /// The place of `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| *entry.name == *name)
    }

    /// Adds a name at the end, which comes from the mounted server `mount`, or from none.
    pub(super) fn push(&mut self, name: &str, mount: Option<usize>) {
        self.entries.push(Entry {
            name: name.into(),
            serial: self.next,
            enabled: true,
            mount,
        });
        self.next += 1;
    }

    /// Removes a name, and says where it was.
    pub(super) fn remove(&mut self, name: &str) -> Option<usize> {
        let place = self.find(name)?;
        self.entries.remove(place);
        Some(place)
    }

    /// Switches a name on or off, and says whether it was not yet.
    pub(super) fn switch(&mut self, name: &str, enabled: bool) -> bool {
        match self.find(name) {
            Some(place) => std::mem::replace(&mut self.entries[place].enabled, enabled) != enabled,
            None => false,
        }
    }

    /// Adds a name that comes from the mounted server `mount`, unless it is there already.
    pub(super) fn claim(&mut self, name: &str, mount: usize) -> Claim {
        match self.find(name) {
            Some(place) if self.entries[place].mount == Some(mount) => Claim::Old(place),
            Some(_) => {
                tracing::warn!(name, "hidden by what has its name: mount under a prefix");
                Claim::Taken
            }
            None => {
                self.push(name, Some(mount));
                Claim::New
            }
        }
    }

    /// Removes what came from the mounted server `mount` and is not among `names` any more. Says
    /// where it was, the last one first.
    pub(super) fn keep(&mut self, mount: usize, names: &[&str]) -> Vec<usize> {
        let mut gone = Vec::new();
        for place in (0..self.entries.len()).rev() {
            let entry = &self.entries[place];
            if entry.mount == Some(mount) && !names.contains(&&*entry.name) {
                self.entries.remove(place);
                gone.push(place);
            }
        }
        gone
    }

    /// Whether what stands at `place` is switched on.
    pub(super) fn is_enabled(&self, place: usize) -> bool {
        self.entries[place].enabled
    }

    /// What is switched on.
    pub(super) fn index(&self) -> Index {
        let mut serials = Vec::new();
        let mut by_name = HashMap::with_capacity(self.entries.len());
        for entry in self.entries.iter().filter(|entry| entry.enabled) {
            by_name.insert(Arc::clone(&entry.name), serials.len());
            serials.push(entry.serial);
        }
        Index { serials, by_name }
    }
}

impl Index {
    /// The place of `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}
