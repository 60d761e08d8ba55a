//! Places in lists, and the cursors that name them (2026-07-28, "Pagination").

use std::borrow::Cow;

use super::lists::ListResult;
use crate::error::RequestError;

/// The place of an item in a list. It stays where it is, whatever is added or removed around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct Place {
    /// `true` for items that a template has found; they come after the entries with one URI.
    expanded: bool,
    /// The number of the entry.
    number: u64,
    /// The URI that the template has found.
    uri: String,
}

impl Place {
    /// The place of an entry.
    pub(in crate::server) fn of(number: u64) -> Self {
        Self {
            expanded: false,
            number,
            uri: String::new(),
        }
    }

    /// The place of a resource that the template with this number has found.
    pub(in crate::server) fn expanded(number: u64, uri: String) -> Self {
        Self {
            expanded: true,
            number,
            uri,
        }
    }

    /// Returns whether it comes after all resources of the template with this number.
    pub(in crate::server) fn is_after_template(&self, number: u64) -> bool {
        self.expanded && number < self.number
    }

    /// The URI at this place, if the template with this number has found it.
    pub(in crate::server) fn uri_of(&self, number: u64) -> Option<&str> {
        (self.expanded && number == self.number).then_some(&*self.uri)
    }

    /// The cursor of the page after this place: the number of the list and the place, as JSON.
    pub(super) fn cursor<L: ListResult>(&self) -> String {
        serde_json::json!([L::NUMBER, self.expanded, self.number, self.uri]).to_string()
    }

    /// The place that a cursor names; `None` for the beginning of the list.
    ///
    /// # Errors
    ///
    /// When the cursor was not given out for this list.
    pub(in crate::server) fn after<L: ListResult>(
        cursor: Option<Cow<'_, str>>,
    ) -> Result<Option<Self>, RequestError> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        match serde_json::from_str::<(usize, _, _, _)>(&cursor) {
            Ok((list, expanded, number, uri)) if L::NUMBER == list => Ok(Some(Self {
                expanded,
                number,
                uri,
            })),
            _ => Err(RequestError::InvalidParams {
                path: "params.cursor".to_owned(),
                reason: format!("`{cursor}` is no cursor that this server gave out for this list"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{ListResourcesResult, ListToolsResult};

    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        for place in [
            Place::of(0),
            Place::of(u64::MAX),
            Place::expanded(7, "book://é.v1.2".to_owned()),
        ] {
            let cursor = place.cursor::<ListResourcesResult>();
            let read = Place::after::<ListResourcesResult>(Some(cursor.into()));
            assert_eq!(read.unwrap(), Some(place));
        }
    }

    #[test]
    fn other_texts_are_no_cursors() {
        let read = |cursor: &str| Place::after::<ListToolsResult>(Some(cursor.into()));
        let cursor = Place::of(3).cursor::<ListToolsResult>();
        assert!(read(&cursor).is_ok());
        assert!(read(&Place::of(3).cursor::<ListResourcesResult>()).is_err());
        for end in 0..cursor.len() {
            assert!(read(&cursor[..end]).is_err());
        }
        for text in ["", "1", "AQ", "not a cursor", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
