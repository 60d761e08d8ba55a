//! What a server offers of one kind: kept in order, found by name.

use std::collections::HashMap;

/// Something that is found by a name.
pub(super) trait Named {
    /// The name.
    fn name(&self) -> &str;
}

/// Routes in the order in which they were declared.
#[derive(Debug)]
pub(super) struct Routes<R> {
    routes: Vec<R>,
    by_name: HashMap<String, usize>,
}

impl<R: Named> Routes<R> {
    /// Keeps `declared`; a later one replaces one of its name.
    pub(super) fn new(declared: Vec<R>) -> Self {
        let mut routes: Vec<R> = Vec::with_capacity(declared.len());
        let mut by_name = HashMap::with_capacity(declared.len());
        for route in declared {
            match by_name.get(route.name()) {
                Some(&index) => routes[index] = route,
                None => {
                    by_name.insert(route.name().to_owned(), routes.len());
                    routes.push(route);
                }
            }
        }
        Self { routes, by_name }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &R> {
        self.routes.iter()
    }

    pub(super) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|index| &self.routes[*index])
    }
}
