//! What a server offers of one kind.

use std::sync::Arc;

use super::names::{Claim, Index, Names};

/// Something that is found by a name.
pub(super) trait Named {
    /// The name.
    fn name(&self) -> &str;
}

/// All that a server has of one kind, in the order in which it is listed, switched off or not.
///
/// It is edited, and never asked by requests: they see the [`Routes`] that are made of it.
#[derive(Debug)]
pub(super) struct CatalogEntry<R> {
    names: Names,
    routes: Vec<Arc<R>>,
}

/// One step of an edit.
#[derive(Debug)]
pub(super) enum Step<R> {
    /// Adds a route, or replaces the server's own one of its name.
    Put(R),
    /// Removes the server's own route of this name.
    Remove(String),
    /// Switches the route of this name on.
    Enable(String),
    /// Switches the route of this name off.
    Disable(String),
}

impl<R: Named> CatalogEntry<R> {
    /// Adds `route`; `kind` is what people call it.
    ///
    /// # Panics
    ///
    /// When there is one of its name.
    #[track_caller]
    pub(super) fn declare(&mut self, kind: &str, route: R) {
        let name = route.name();
        assert!(
            self.names.find_own(name).is_none(),
            "the server has a {kind} `{name}` already: rename one of them"
        );
        self.push(route);
    }

    fn push(&mut self, route: R) {
        self.names.push_own(route.name());
        self.routes.push(Arc::new(route));
    }

    /// Takes a step, and says whether anything is different now.
    pub(super) fn take(&mut self, step: Step<R>) -> bool {
        match step {
            Step::Put(route) => {
                match self.names.find_own(route.name()) {
                    Some(place) => self.routes[place] = Arc::new(route),
                    None => self.push(route),
                }
                true
            }
            Step::Remove(name) => match self.names.remove_own(&name) {
                Some(place) => {
                    self.routes.remove(place);
                    true
                }
                None => false,
            },
            Step::Enable(name) => self.names.switch(&name, true),
            Step::Disable(name) => self.names.switch(&name, false),
        }
    }

    /// Keeps `routes` as all that comes from one mounted server. What is there already stays in its
    /// place.
    pub(super) fn sync(&mut self, mount: usize, routes: Vec<R>) {
        let mut names = Vec::new();
        for route in &routes {
            names.push(route.name());
        }
        for place in self.names.keep(mount, &names) {
            self.routes.remove(place);
        }
        for route in routes {
            match self.names.claim(route.name(), mount) {
                Claim::Old(place) => self.routes[place] = Arc::new(route),
                Claim::New => self.routes.push(Arc::new(route)),
            }
        }
    }

    /// What is offered, to be asked by requests.
    pub(super) fn routes(&self) -> Routes<R> {
        let index = self.names.index();
        let places = index.places.iter();
        Routes {
            routes: places
                .map(|place| Arc::clone(&self.routes[*place]))
                .collect(),
            index,
        }
    }
}

impl<R> Default for CatalogEntry<R> {
    fn default() -> Self {
        Self {
            names: Names::default(),
            routes: Vec::new(),
        }
    }
}

/// Routes in the order in which they are listed, found by name.
#[derive(Debug)]
pub(super) struct Routes<R> {
    routes: Vec<Arc<R>>,
    index: Index,
}

impl<R> Routes<R> {
    /// The routes in their order.
    pub(super) fn all(&self) -> &[Arc<R>] {
        &self.routes
    }

    /// The number of each route, which grow from one to the next.
    pub(super) fn serials(&self) -> &[u64] {
        &self.index.serials
    }

    /// The routes with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &Arc<R>)> {
        self.serials().iter().copied().zip(&self.routes)
    }

    pub(super) fn get(&self, name: &str) -> Option<&R> {
        self.index.find(name).map(|place| &*self.routes[place])
    }
}
