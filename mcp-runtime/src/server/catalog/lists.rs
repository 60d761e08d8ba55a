//! The lists of a server: their results, their cursors (2026-07-28, "Pagination"), and how long
//! clients may cache results (2026-07-28, "Caching").

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use mcp_types::{
    CacheScope, Conform, DiscoverResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, ReadResourceResult, Revision,
};
use serde::{Deserialize, Serialize};

use crate::error::RequestError;
use crate::protocol::Change;

/// A list that a server shows to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum List {
    /// The tools.
    Tools,
    /// The prompts.
    Prompts,
    /// The resources and resource templates.
    Resources,
}

impl List {
    /// Every list.
    pub const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        })
    }
}

impl From<List> for Change {
    fn from(list: List) -> Self {
        match list {
            List::Tools => Self::Tools,
            List::Prompts => Self::Prompts,
            List::Resources => Self::Resources,
        }
    }
}

/// The result of one of the four requests for a list.
pub(in crate::server) trait ListResult: Cached + Conform + Serialize {
    type Entry;
    type Item;

    /// The number of the list in its cursors, counted from 0.
    const NUMBER: usize;

    /// Returns the item of `entry` in the list for `revision`, or `None` if the entry belongs to
    /// another list.
    fn item(entry: &Self::Entry, revision: Revision) -> Option<Self::Item>;

    fn page(items: Vec<Self::Item>, next_cursor: Option<String>) -> Self;
}

/// How long clients may cache a result, in milliseconds, and the scope of the cache (2026-07-28,
/// "Caching"). Both are absent unless they are set.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Caching(Option<(u64, CacheScope)>);

impl Caching {
    pub(in crate::server) fn new(ttl: Duration, scope: CacheScope) -> Self {
        let milliseconds = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self(Some((milliseconds, scope)))
    }

    /// Sets the members that the result does not set itself. If `private`, the scope is always
    /// private.
    pub(in crate::server) fn mark<R: Cached>(&self, mut result: R, private: bool) -> R {
        let (result_ttl, result_scope) = result.caching();
        if private {
            *result_scope = Some(CacheScope::Private);
        }
        if let Some((ttl, scope)) = &self.0 {
            result_ttl.get_or_insert(*ttl);
            result_scope.get_or_insert_with(|| scope.clone());
        }
        result
    }
}

/// A result with members that allow clients to cache it.
pub(in crate::server) trait Cached {
    /// Returns the lifetime in milliseconds, and the scope.
    fn caching(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>);
}

macro_rules! cached {
    ($($result:ident),*) => {$(
        impl Cached for $result {
            fn caching(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>) {
                (&mut self.ttl_ms, &mut self.cache_scope)
            }
        }
    )*};
}

cached!(
    DiscoverResult,
    ListToolsResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult
);

/// The place of an item in a list. It stays the same when other items are added or removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::server) enum Place {
    Entry(u64),
    /// A URI that the lister of the template with this number found. These places follow all
    /// entries.
    Found(u64, String),
}

impl Place {
    /// Returns the cursor of the page after this place: the number of the list and the place, as
    /// JSON.
    pub(super) fn cursor<L: ListResult>(&self) -> String {
        serde_json::json!([L::NUMBER, self]).to_string()
    }

    /// Returns the place that a cursor refers to, or `None` for the beginning of the list.
    ///
    /// # Errors
    ///
    /// When the cursor was not issued for this list.
    pub(in crate::server) fn after<L: ListResult>(
        cursor: Option<Cow<'_, str>>,
    ) -> Result<Option<Self>, RequestError> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        match serde_json::from_str::<(usize, Self)>(&cursor) {
            Ok((list, place)) if list == L::NUMBER => Ok(Some(place)),
            _ => Err(RequestError::InvalidParams {
                path: "params.cursor".to_owned(),
                reason: format!("`{cursor}` is not a cursor that this server issued for this list"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        for place in [
            Place::Entry(0),
            Place::Entry(u64::MAX),
            Place::Found(7, "book://é.v1.2".to_owned()),
        ] {
            let cursor = place.cursor::<ListResourcesResult>();
            let read = Place::after::<ListResourcesResult>(Some(cursor.into()));
            assert_eq!(read.unwrap(), Some(place));
        }
    }

    #[test]
    fn other_strings_are_not_cursors() {
        let read = |cursor: &str| Place::after::<ListToolsResult>(Some(cursor.into()));
        let cursor = Place::Entry(3).cursor::<ListToolsResult>();
        assert!(read(&cursor).is_ok());
        assert!(read(&Place::Entry(3).cursor::<ListResourcesResult>()).is_err());
        for end in 0..cursor.len() {
            assert!(read(&cursor[..end]).is_err());
        }
        for text in ["", "1", "AQ", "not a cursor", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in [
            r#"[0,{"Entry":18446744073709551616}]"#,
            r#"[0,{"Entry":-1}]"#,
            r#"[0,{"Entry":1e400}]"#,
            r#"[99999999999999999999,{"Entry":1}]"#,
            &"[".repeat(100_000),
        ] {
            assert!(read(text).is_err());
        }
    }
}
