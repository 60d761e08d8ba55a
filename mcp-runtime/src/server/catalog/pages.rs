//! Places in lists, the cursors that name them, and pages between them (2026-07-28, "Pagination").

use std::num::NonZeroUsize;
use std::ops::Range;

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

/// The version of the text of cursors.
const VERSION: u8 = 1;

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

    /// The cursor of the page after this place.
    pub(super) fn cursor<L: ListResult>(&self) -> String {
        self.write(L::NUMBER)
    }

    /// The place that a cursor names; `None` for the beginning of the list.
    ///
    /// # Errors
    ///
    /// When the cursor was not given out for this list.
    pub(in crate::server) fn after<L: ListResult>(
        cursor: Option<&str>,
    ) -> Result<Option<Self>, RequestError> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        match Self::read(L::NUMBER, cursor) {
            Some(place) => Ok(Some(place)),
            None => Err(RequestError::InvalidParams {
                path: "params.cursor".to_owned(),
                reason: format!("`{cursor}` is no cursor that this server gave out for this list"),
            }),
        }
    }

    fn write(&self, list: u8) -> String {
        let expanded = u8::from(self.expanded);
        let content = format!("{VERSION}.{list}.{expanded}.{}.{}", self.number, self.uri);
        format!("{:08x}.{content}", checksum(&content))
    }

    fn read(list: u8, cursor: &str) -> Option<Self> {
        let (check, content) = cursor.split_once('.')?;
        if check != format!("{:08x}", checksum(content)) {
            return None;
        }
        // The URI is last, and may have dots of its own.
        let mut parts = content.splitn(5, '.');
        let mut integer = || parts.next()?.parse::<u64>().ok();
        let (version, of, expanded, number) = (integer()?, integer()?, integer()?, integer()?);
        if version != u64::from(VERSION) || of != u64::from(list) {
            return None;
        }
        Some(Self {
            expanded: expanded == 1,
            number,
            uri: parts.next()?.to_owned(),
        })
    }
}

/// FNV-1a, which tells a cursor from any other text. It is no secret: a cursor leads nowhere that
/// the whole list would not.
fn checksum(text: &str) -> u32 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, mix)
}

/// The range of `items`, which stand in the order of their places, that is the page after `after`;
/// and the place of its last item, unless it is the last page.
pub(in crate::server) fn cut<T>(
    items: &[T],
    place: impl Fn(&T) -> Place,
    after: Option<&Place>,
    size: Option<NonZeroUsize>,
) -> (Range<usize>, Option<Place>) {
    let start = after.map_or(0, |after| {
        items.partition_point(|item| place(item) <= *after)
    });
    let size = size.map_or(usize::MAX, NonZeroUsize::get);
    let end = start.saturating_add(size).min(items.len());
    let is_last = end == items.len();
    let last = items[..end].last().filter(|_| !is_last);
    (start..end, last.map(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back() {
        for place in [
            Place::of(0),
            Place::of(u64::MAX),
            Place::expanded(7, "book://é.v1.2".to_owned()),
        ] {
            let cursor = place.write(2);
            assert_eq!(Place::read(2, &cursor), Some(place));
        }
    }

    #[test]
    fn other_texts_are_no_cursors() {
        let cursor = Place::of(3).write(0);
        assert!(Place::read(1, &cursor).is_none());
        for end in 0..cursor.len() {
            assert!(Place::read(0, &cursor[..end]).is_none());
        }
        for text in ["", "1", "AQ", "not a cursor", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(Place::read(0, text).is_none(), "{text}");
        }
    }
}
