//! What a server offers of one kind.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Something that is found by a name.
pub(super) trait Named {
    /// The name.
    fn name(&self) -> &str;
}

/// All that a server has of one kind, in the order in which it is listed, switched off or not.
///
/// It is edited, and never asked by requests: they see the [`Routes`] that are made of it.
#[derive(Debug)]
pub(super) struct Stock<R> {
    entries: Vec<Entry<R>>,
    /// The number of the next entry. Numbers are not used again, so that a place in the list can
    /// be named by one.
    next: u64,
}

#[derive(Debug)]
struct Entry<R> {
    serial: u64,
    enabled: bool,
    /// The mounted server that it comes from.
    mount: Option<usize>,
    route: Arc<R>,
}

/// Adds `route` to `declared`; `kind` is what people call it.
///
/// # Panics
///
/// When there is one of its name.
#[track_caller]
pub(super) fn declare<R: Named>(declared: &mut Vec<R>, kind: &str, route: R) {
    let name = route.name();
    assert!(
        declared.iter().all(|known| known.name() != name),
        "the server has a {kind} `{name}` already: rename one of them"
    );
    declared.push(route);
}

/// One step of an edit.
#[derive(Debug)]
pub(super) enum Step<R> {
    /// Adds a route, or replaces the one of its name.
    Put(R),
    /// Removes the route of this name.
    Remove(String),
    /// Switches the route of this name on.
    Enable(String),
    /// Switches the route of this name off.
    Disable(String),
}

impl<R: Named> Stock<R> {
    /// Keeps `declared`, in which each has a name of its own.
    pub(super) fn new(declared: Vec<R>) -> Self {
        let entries: Vec<_> = (0..)
            .zip(declared)
            .map(|(n, it)| Entry::new(n, it))
            .collect();
        let next = entries.len() as u64;
        Self { entries, next }
    }

    /// Takes a step, and says whether anything is different now.
    pub(super) fn take(&mut self, step: Step<R>) -> bool {
        match step {
            Step::Put(route) => {
                match self.entry(route.name()) {
                    Some(entry) => entry.route = Arc::new(route),
                    None => {
                        self.entries.push(Entry::new(self.next, route));
                        self.next += 1;
                    }
                }
                true
            }
            Step::Remove(name) => {
                let before = self.entries.len();
                self.entries.retain(|entry| entry.route.name() != name);
                self.entries.len() != before
            }
            Step::Enable(name) => self.switch(&name, true),
            Step::Disable(name) => self.switch(&name, false),
        }
    }

    fn switch(&mut self, name: &str, enabled: bool) -> bool {
        match self.entry(name) {
            Some(entry) => std::mem::replace(&mut entry.enabled, enabled) != enabled,
            None => false,
        }
    }

    fn entry(&mut self, name: &str) -> Option<&mut Entry<R>> {
        self.entries
            .iter_mut()
            .find(|entry| entry.route.name() == name)
    }

    /// Keeps `routes` as all that comes from one mounted server. What is there already stays in its
    /// place; where a name is taken, the one who has it keeps it.
    pub(super) fn sync(&mut self, mount: usize, routes: Vec<R>) {
        let names: HashSet<String> = routes.iter().map(|it| it.name().to_owned()).collect();
        self.entries
            .retain(|entry| entry.mount != Some(mount) || names.contains(entry.route.name()));
        for route in routes {
            match self.entry(route.name()) {
                Some(entry) if entry.mount == Some(mount) => entry.route = Arc::new(route),
                Some(_) => {
                    let name = route.name();
                    tracing::warn!(name, "hidden by what has its name: mount under a prefix");
                }
                None => {
                    let mut entry = Entry::new(self.next, route);
                    entry.mount = Some(mount);
                    self.entries.push(entry);
                    self.next += 1;
                }
            }
        }
    }

    /// What is switched on, in the order in which it is listed.
    pub(super) fn enabled(&self) -> impl Iterator<Item = &Arc<R>> {
        let enabled = self.entries.iter().filter(|entry| entry.enabled);
        enabled.map(|entry| &entry.route)
    }

    /// What is switched on.
    pub(super) fn routes(&self) -> Routes<R> {
        let mut routes = Routes {
            routes: Vec::with_capacity(self.entries.len()),
            serials: Vec::with_capacity(self.entries.len()),
            by_name: HashMap::with_capacity(self.entries.len()),
        };
        for entry in self.entries.iter().filter(|entry| entry.enabled) {
            let name = entry.route.name().to_owned();
            routes.by_name.insert(name, routes.routes.len());
            routes.routes.push(Arc::clone(&entry.route));
            routes.serials.push(entry.serial);
        }
        routes
    }
}

impl<R> Entry<R> {
    fn new(serial: u64, route: R) -> Self {
        Self {
            serial,
            enabled: true,
            mount: None,
            route: Arc::new(route),
        }
    }
}

/// Routes in the order in which they are listed, found by name.
#[derive(Debug)]
pub(super) struct Routes<R> {
    routes: Vec<Arc<R>>,
    serials: Vec<u64>,
    by_name: HashMap<String, usize>,
}

impl<R> Routes<R> {
    pub(super) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &R> {
        self.routes.iter().map(|route| &**route)
    }

    /// The routes with their numbers, which grow from one to the next.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &R)> {
        self.serials.iter().copied().zip(self.iter())
    }

    /// The same, to be kept.
    pub(super) fn shared(&self) -> impl Iterator<Item = (u64, &Arc<R>)> {
        self.serials.iter().copied().zip(&self.routes)
    }

    pub(super) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|index| &*self.routes[*index])
    }
}
