//! Where a list goes on.

use std::cmp::Ordering;

use crate::error::RequestError;

/// One of the lists that go page by page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pageable {
    Tools,
    Prompts,
    Resources,
    Templates,
}

/// The place of an item in a list. It stays where it is, whatever is added or removed around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// What a template stands for comes after what has a URI of its own.
    expanded: bool,
    /// The number of the route.
    serial: u64,
    /// The URI of what a template stands for.
    uri: String,
}

/// How far a list has come with what a template stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress<'a> {
    /// Nothing of it was listed yet.
    Ahead,
    /// This URI was the last one.
    Within(&'a str),
    /// All of it was listed.
    Done,
}

/// The form of the text; a later one would have another number.
const VERSION: u8 = 1;

impl Place {
    /// The place of what has a route of its own.
    pub(super) fn of(serial: u64) -> Self {
        Self {
            expanded: false,
            serial,
            uri: String::new(),
        }
    }

    /// The place of one of the resources that a template stands for.
    pub(super) fn expanded(serial: u64, uri: String) -> Self {
        Self {
            expanded: true,
            serial,
            uri,
        }
    }

    /// How far the list has come, at this place, with what the template numbered `serial` stands
    /// for.
    pub(super) fn progress(&self, serial: u64) -> Progress<'_> {
        match serial.cmp(&self.serial) {
            _ if !self.expanded => Progress::Ahead,
            Ordering::Less => Progress::Done,
            Ordering::Equal => Progress::Within(&self.uri),
            Ordering::Greater => Progress::Ahead,
        }
    }

    /// The cursor for what comes after this place.
    pub(super) fn cursor(&self, list: Pageable) -> String {
        let (list, expanded) = (list as u8, u8::from(self.expanded));
        let content = format!("{VERSION}.{list}.{expanded}.{}.{}", self.serial, self.uri);
        format!("{:08x}.{content}", checksum(&content))
    }

    /// The place that a cursor names.
    ///
    /// # Errors
    ///
    /// When the text is no cursor for this list.
    pub(super) fn read(list: Pageable, cursor: &str) -> Result<Self, RequestError> {
        Self::parse(list, cursor).ok_or_else(|| RequestError::InvalidParams {
            path: "params.cursor".to_owned(),
            reason: format!("`{cursor}` is no cursor that this server gave out for this list"),
        })
    }

    fn parse(list: Pageable, cursor: &str) -> Option<Self> {
        let (check, content) = cursor.split_once('.')?;
        if check != format!("{:08x}", checksum(content)) {
            return None;
        }
        // The URI is last, and may have dots of its own.
        let mut parts = content.splitn(5, '.');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (version, kind, expanded, serial) = (number()?, number()?, number()?, number()?);
        if version != u64::from(VERSION) || kind != list as u64 {
            return None;
        }
        Some(Self {
            expanded: expanded == 1,
            serial,
            uri: parts.next()?.to_owned(),
        })
    }
}

/// Tells a cursor from any other text (FNV-1a). It is no secret: a cursor leads nowhere that the
/// whole list would not.
fn checksum(text: &str) -> u32 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, mix)
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
            let cursor = place.cursor(Pageable::Resources);
            assert_eq!(Place::read(Pageable::Resources, &cursor), Ok(place));
        }
    }

    #[test]
    fn what_was_not_given_out_is_refused() {
        let cursor = Place::of(3).cursor(Pageable::Tools);
        assert!(Place::read(Pageable::Prompts, &cursor).is_err());
        for end in 0..cursor.len() {
            assert!(Place::read(Pageable::Tools, &cursor[..end]).is_err());
        }
        for text in ["", "1", "AQ", "not a cursor", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(Place::read(Pageable::Tools, text).is_err(), "{text}");
        }
    }
}
