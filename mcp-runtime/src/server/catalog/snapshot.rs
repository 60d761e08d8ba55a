//! The offered entries of one kind, in the form in which requests read them.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::entries::Entries;
use super::{Caching, CatalogEntry, ListResult, Place, Visibility};
use crate::error::RequestError;
use crate::server::{Context, Scopes, Settings};

/// An immutable snapshot of the offered entries of one kind. An edit replaces the whole snapshot.
#[derive(Debug)]
pub(in crate::server) struct Catalog<R> {
    /// The entries with their numbers. They are listed in the order of the numbers.
    pub(in crate::server) entries: Vec<(u64, Arc<R>)>,
    by_name: HashMap<String, Arc<R>>,
    pub(in crate::server) visibility: Visibility<R>,
    /// The scopes that every entry needs.
    scopes: Scopes,
    /// True if any entry needs scopes.
    checks_scopes: bool,
    filters_by_scopes: bool,
    pub(in crate::server) differs_by_caller: bool,
    pub(in crate::server) page_size: Option<NonZeroUsize>,
    caching: Caching,
}

impl<R: CatalogEntry> Catalog<R> {
    pub(in crate::server) fn new(all: &Entries<R>, settings: &Settings) -> Self {
        let entries = all.offered();
        let visibility = all.visibility.clone();
        let mut by_name = HashMap::with_capacity(entries.len());
        for (_, entry) in &entries {
            by_name.insert(entry.name().to_owned(), Arc::clone(entry));
        }
        for (_, entry) in &entries {
            if let Some(name) = entry.normalized_name() {
                by_name.entry(name).or_insert_with(|| Arc::clone(entry));
            }
        }
        let mut each = entries.iter().map(|(_, entry)| entry);
        let checks_scopes = !settings.scopes.is_empty()
            || each.clone().any(|entry| !entry.needed_scopes().is_empty());
        let filters_by_scopes = checks_scopes && settings.filter_by_scopes;
        Self {
            differs_by_caller: filters_by_scopes
                || visibility.is_limited()
                || each.any(|entry| entry.visibility().is_limited()),
            scopes: settings.scopes.clone(),
            checks_scopes,
            filters_by_scopes,
            entries,
            by_name,
            visibility,
            page_size: settings.page_size,
            caching: settings.caching.clone(),
        }
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        self.entries.iter().any(|(_, entry)| entry.completes())
    }

    /// Returns true if the caller of `context` may see `entry` under `name`.
    pub(in crate::server) fn shows(&self, entry: &R, name: &str, context: &Context) -> bool {
        entry.visibility().shows(entry, name, context)
            && self.visibility.shows(entry, name, context)
    }

    pub(in crate::server) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|entry| &**entry)
    }

    /// Returns the entry called `name`, if the caller of `context` may see it.
    pub(in crate::server) fn get_for(&self, name: &str, context: &Context) -> Option<&R> {
        let entry = self.get(name);
        entry.filter(|entry| self.shows(entry, name, context))
    }

    /// Returns true if a list shows `entry` under `name` to the caller of `context`.
    pub(in crate::server) fn lists(&self, entry: &R, name: &str, context: &Context) -> bool {
        let scopes = || self.scopes.and(entry.needed_scopes());
        self.shows(entry, name, context)
            && (!self.filters_by_scopes || scopes().are_granted(context))
    }

    /// Checks that the caller of `context` has the scopes for `entry`.
    ///
    /// # Errors
    ///
    /// When the caller lacks any of the scopes.
    pub(in crate::server) fn check_scopes(
        &self,
        entry: &R,
        context: &Context,
    ) -> Result<(), RequestError> {
        if self.checks_scopes {
            self.scopes.and(entry.needed_scopes()).check(context)
        } else {
            Ok(())
        }
    }

    pub(in crate::server) fn needs_scopes(&self, entry: &R) -> bool {
        !self.scopes.is_empty() || !entry.needed_scopes().is_empty()
    }

    /// Returns the page of a list that follows `after`, with the entries that the caller of
    /// `context` may see.
    pub(in crate::server) fn list<L: ListResult<Entry = R>>(
        &self,
        after: Option<&Place>,
        context: &Context,
    ) -> L {
        self.page(self.items::<L>(context), after)
    }

    /// Returns the items of a list that the caller of `context` may see, with their places.
    pub(in crate::server) fn items<L: ListResult<Entry = R>>(
        &self,
        context: &Context,
    ) -> impl Iterator<Item = (Place, L::Item)> {
        let shown = self.entries.iter();
        let shown = shown.filter(|(_, entry)| self.lists(entry, entry.name(), context));
        shown.filter_map(|(number, entry)| {
            let item = L::item(entry, context.revision())?;
            Some((Place::Entry(*number), item))
        })
    }

    /// Returns the page of `items` that follows `after`, with the time for which clients may cache
    /// it. If the list has pages, `items` must be in the order of their places.
    pub(in crate::server) fn page<L: ListResult<Entry = R>>(
        &self,
        items: impl Iterator<Item = (Place, L::Item)>,
        after: Option<&Place>,
    ) -> L {
        let size = self.page_size.map_or(usize::MAX, NonZeroUsize::get);
        let mut rest = items.skip_while(|(place, _)| after.is_some_and(|after| place <= after));
        let (places, items): (Vec<_>, Vec<_>) = rest.by_ref().take(size).unzip();
        let last = rest.next().and(places.last());
        let page = L::page(items, last.map(Place::cursor::<L>));
        self.caching.mark(page, self.differs_by_caller)
    }
}
