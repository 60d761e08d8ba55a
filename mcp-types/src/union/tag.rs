//! What tells the members of a union apart, found wherever it stands.

use std::borrow::Cow;

use serde_json::{Error, Result};

use crate::json::{Members, Reader};

/// A tag of a union.
pub(super) struct Tag<'de> {
    /// What it says.
    pub(super) value: Cow<'de, str>,
    /// Where it ends, if it is the first member.
    pub(super) first: Option<usize>,
}

/// The first member of that name in an object that has been opened; the reader stays where it is.
///
/// # Errors
///
/// When it is not a string.
pub(super) fn by_value<'de>(reader: &Reader<'de>, field: &str) -> Result<Option<Tag<'de>>> {
    let mut ahead = reader.at(reader.place());
    let mut members = Members::of(&mut ahead);
    let mut is_first = true;
    while let Some(name) = members.name()? {
        if name.text() == field {
            let value = members.value()?;
            let first = is_first.then(|| ahead.place());
            return Ok(Some(Tag { value, first }));
        }
        members.skip()?;
        is_first = false;
    }
    Ok(None)
}

/// Why an object that has been opened, and has no member of that name, is refused.
#[cold]
pub(super) fn missing(reader: &mut Reader<'_>, field: &str) -> Error {
    let mut members = Members::of(reader);
    match members.next_known(&[]) {
        Ok(_) => members.missing(field),
        Err(fault) => fault,
    }
}

/// The first member with one of these names, in an object that has been opened; the reader stays
/// where it is.
pub(super) fn by_name(reader: &Reader<'_>, names: &[&str]) -> Result<Option<usize>> {
    Members::of(&mut reader.at(reader.place())).next_known(names)
}
