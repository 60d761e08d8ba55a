//! The offered entries of one kind, as requests read them.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::Revision;
use mcp_types::jsonrpc::PreparedResult;

use super::entries::{Entry, Visibility};
use super::lists::{Caching, ListResult};
use super::pages::{Place, cut};
use crate::error::RequestError;
use crate::server::Context;
use crate::server::answer::Prepared;
use crate::server::settings::Settings;

/// An immutable snapshot of what a server offers of one kind; an edit replaces it whole.
#[derive(Debug)]
pub(in crate::server) struct Catalog<R> {
    /// All entries with their numbers, which grow from one to the next.
    entries: Vec<(u64, Arc<R>)>,
    by_name: HashMap<String, Arc<R>>,
    /// The entries that are no templates.
    single: Pages<R>,
    templates: Pages<R>,
    visibility: Visibility<R>,
    differs_by_caller: bool,
    pub(in crate::server) page_size: Option<NonZeroUsize>,
    caching: Caching,
}

/// The entries of one list, and its pages where they are the same for all callers.
#[derive(Debug)]
struct Pages<R> {
    entries: Vec<(u64, Arc<R>)>,
    written: Vec<Prepared>,
}

impl<R: Entry> Catalog<R> {
    pub(super) fn new(
        entries: Vec<(u64, Arc<R>)>,
        visibility: Visibility<R>,
        settings: &Settings,
    ) -> Self {
        let mut by_name = HashMap::with_capacity(entries.len());
        for (_, entry) in &entries {
            by_name.insert(entry.name().to_owned(), Arc::clone(entry));
        }
        for (_, entry) in &entries {
            if let Some(name) = entry.normalized_name() {
                by_name.entry(name).or_insert_with(|| Arc::clone(entry));
            }
        }
        let mut all = entries.iter();
        Self {
            differs_by_caller: visibility.is_limited()
                || all.any(|(_, entry)| entry.visibility().is_limited()),
            single: Pages::new(&entries, false, settings.page_size),
            templates: Pages::new(&entries, true, settings.page_size),
            entries,
            by_name,
            visibility,
            page_size: settings.page_size,
            caching: settings.caching.clone(),
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries with their numbers, in the order in which they are listed.
    pub(in crate::server) fn entries(&self) -> &[(u64, Arc<R>)] {
        &self.entries
    }

    /// The entries that `L` lists, with their numbers.
    pub(in crate::server) fn entries_of<L: ListResult<Entry = R>>(&self) -> &[(u64, Arc<R>)] {
        &self.pages::<L>().entries
    }

    fn pages<L: ListResult<Entry = R>>(&self) -> &Pages<R> {
        match L::TEMPLATES {
            true => &self.templates,
            false => &self.single,
        }
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        let mut completers = self.entries.iter().map(|(_, entry)| entry.completers());
        completers.any(|it| it.is_some_and(|it| !it.is_empty()))
    }

    /// Returns whether callers may see different entries.
    pub(in crate::server) fn differs_by_caller(&self) -> bool {
        self.differs_by_caller
    }

    /// The filter of all entries.
    pub(in crate::server) fn visibility(&self) -> &Visibility<R> {
        &self.visibility
    }

    /// Returns whether the caller of `context` may see `entry` under `name`.
    pub(in crate::server) fn shows(&self, entry: &R, name: &str, context: &Context) -> bool {
        entry.visibility().shows(entry, name, context)
            && self.visibility.shows(entry, name, context)
    }

    pub(in crate::server) fn get(&self, name: &str) -> Option<&R> {
        self.by_name.get(name).map(|entry| &**entry)
    }

    /// The entry called `name`, if the caller of `context` may see it.
    pub(in crate::server) fn get_for(&self, name: &str, context: &Context) -> Option<&R> {
        let entry = self.get(name);
        entry.filter(|entry| self.shows(entry, name, context))
    }

    /// A page of a list that is the same for all callers, written once for each revision.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list<L: ListResult<Entry = R>>(
        &self,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<PreparedResult, RequestError> {
        let after = Place::after::<L>(cursor)?;
        let Pages { entries, written } = self.pages::<L>();
        let (range, next) = cut(entries, place, after.as_ref(), self.page_size);
        let size = self.page_size.map_or(usize::MAX, NonZeroUsize::get);
        // After a removal, the pages that a client is in the middle of begin elsewhere.
        let written = written.get(range.start / size);
        let written = written.filter(|_| range.start.is_multiple_of(size));
        let page = || self.page::<L>(&entries[range.clone()], next.as_ref(), revision);
        Ok(match written {
            Some(written) => written.get(revision, page),
            None => Prepared::default().get(revision, page),
        })
    }

    /// A page of a list, as the caller of `context` may see it.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list_for<L: ListResult<Entry = R>>(
        &self,
        cursor: Option<&str>,
        context: &Context,
    ) -> Result<L, RequestError> {
        let after = Place::after::<L>(cursor)?;
        let mut shown = self.entries_of::<L>().to_vec();
        shown.retain(|(_, entry)| self.shows(entry, entry.name(), context));
        let (range, next) = cut(&shown, place, after.as_ref(), self.page_size);
        Ok(self.page(&shown[range], next.as_ref(), context.revision()))
    }

    fn page<L: ListResult<Entry = R>>(
        &self,
        entries: &[(u64, Arc<R>)],
        next: Option<&Place>,
        revision: Revision,
    ) -> L {
        let items = entries.iter();
        let items = items.filter_map(|(_, entry)| L::item(entry, revision));
        self.result(items.collect(), next)
    }

    /// The page of `items` before `next`, marked with how long clients may keep it.
    pub(in crate::server) fn result<L: ListResult<Entry = R>>(
        &self,
        items: Vec<L::Item>,
        next: Option<&Place>,
    ) -> L {
        let page = L::page(items, next.map(Place::cursor::<L>));
        self.caching.mark(page, self.differs_by_caller)
    }
}

/// The place of an entry in its list.
fn place<R>((number, _): &(u64, Arc<R>)) -> Place {
    Place::of(*number)
}

impl<R: Entry> Pages<R> {
    fn new(entries: &[(u64, Arc<R>)], templates: bool, size: Option<NonZeroUsize>) -> Self {
        let mut entries = entries.to_vec();
        entries.retain(|(_, entry)| entry.is_template() == templates);
        let pages = size.map_or(1, |size| entries.len().div_ceil(size.get()).max(1));
        Self {
            entries,
            written: (0..pages).map(|_| Prepared::default()).collect(),
        }
    }
}
