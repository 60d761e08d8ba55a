//! The names of what a server offers, in the order in which it is listed.

use std::collections::HashMap;
use std::sync::Arc;

/// The names of all that a server has of one kind, switched on or not. What has the names stands
/// elsewhere, in the same order.
///
/// An entry of the server's own and entries of mounted servers may have one name. The own one is
/// offered, or else that of the server that was mounted first.
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
    /// The mounted server that it comes from; none, if it is the server's own.
    mount: Option<usize>,
}

/// What is switched on: its numbers, and where to find what has a name.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) serials: Vec<u64>,
    /// Where each stands in the list of all.
    pub(super) places: Vec<usize>,
    /// Where each name stands. A call costs the same however many there are.
    by_name: HashMap<Arc<str>, usize>,
}

/// What becomes of a name that comes from a mounted server.
pub(super) enum Claim {
    /// It is the mounted server's already, at this place.
    Old(usize),
    /// It stands at the end now.
    New,
}

impl Names {
    /// The place of the server's own entry called `name`.
    pub(super) fn find_own(&self, name: &str) -> Option<usize> {
        self.find(name, None)
    }

    fn find(&self, name: &str, mount: Option<usize>) -> Option<usize> {
        let mut entries = self.entries.iter();
        entries.position(|entry| entry.mount == mount && *entry.name == *name)
    }

    /// Adds an entry of the server's own at the end.
    pub(super) fn push_own(&mut self, name: &str) {
        self.push(name, None);
    }

    /// Adds an entry at the end. It is switched off, if there is one of its name that is.
    fn push(&mut self, name: &str, mount: Option<usize>) {
        let mut namesakes = self.entries.iter().filter(|entry| *entry.name == *name);
        let enabled = namesakes.clone().all(|entry| entry.enabled);
        if namesakes.next().is_some() {
            tracing::warn!(name, "one of this name hides another: mount under a prefix");
        }
        self.entries.push(Entry {
            name: name.into(),
            serial: self.next,
            enabled,
            mount,
        });
        self.next += 1;
    }

    /// Removes the server's own entry called `name`, and says where it was.
    pub(super) fn remove_own(&mut self, name: &str) -> Option<usize> {
        let place = self.find_own(name)?;
        self.entries.remove(place);
        Some(place)
    }

    /// Switches a name on or off, whoever has it, and says whether it was not yet.
    pub(super) fn switch(&mut self, name: &str, enabled: bool) -> bool {
        let mut changed = false;
        for entry in &mut self.entries {
            if *entry.name == *name {
                changed |= std::mem::replace(&mut entry.enabled, enabled) != enabled;
            }
        }
        changed
    }

    /// Adds an entry of the mounted server `mount`, unless it is there already.
    pub(super) fn claim(&mut self, name: &str, mount: usize) -> Claim {
        match self.find(name, Some(mount)) {
            Some(place) => Claim::Old(place),
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

    /// What is switched on, and not hidden by another of its name.
    pub(super) fn index(&self) -> Index {
        let mut first: HashMap<&str, Option<usize>> = HashMap::with_capacity(self.entries.len());
        for entry in &self.entries {
            let mount = first.entry(&entry.name).or_insert(entry.mount);
            // The server's own, `None`, comes before any mounted one.
            *mount = entry.mount.min(*mount);
        }
        let (mut serials, mut places) = (Vec::new(), Vec::new());
        let mut by_name = HashMap::with_capacity(self.entries.len());
        for (place, entry) in self.entries.iter().enumerate() {
            if entry.enabled && first.get(&*entry.name) == Some(&entry.mount) {
                by_name.insert(Arc::clone(&entry.name), serials.len());
                serials.push(entry.serial);
                places.push(place);
            }
        }
        Index {
            serials,
            places,
            by_name,
        }
    }
}

impl Index {
    /// The place of `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}
