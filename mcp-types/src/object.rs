//! Structs read from JSON objects, and from nothing else.
//!
//! What serde derives would also take a list for a struct, its fields in order.

use serde_json::Result;

use crate::JsonObject;
use crate::json::{Decode, Members, Reader};
use crate::number::FromZero;

/// A struct that is an object on the wire.
pub(crate) trait Object<'de>: Sized {
    /// What an error says that was expected.
    const EXPECTED: &'static str;

    /// The field with that name on the wire.
    fn index(name: &str) -> Option<usize>;

    /// Reads the members.
    fn read(members: &mut Members<'_, 'de>) -> Result<Self>;
}

impl<'de, T: Object<'de>> Object<'de> for Box<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn index(name: &str) -> Option<usize> {
        T::index(name)
    }

    fn read(members: &mut Members<'_, 'de>) -> Result<Self> {
        T::read(members).map(Self::new)
    }
}

/// Reads an object.
#[inline]
pub(crate) fn decode<'de, T: Object<'de>>(reader: &mut Reader<'de>) -> Result<T> {
    reader.open(b'{', &T::EXPECTED)?;
    T::read(&mut Members::of(reader))
}

/// The next field that is known, its value yet to be read; others go into `extra`.
pub(crate) fn next_or_keep(
    members: &mut Members<'_, '_>,
    index: fn(&str) -> Option<usize>,
    extra: &mut JsonObject,
) -> Result<Option<usize>> {
    while let Some(found) = members.next_or_name(index)? {
        match found {
            Ok(index) => return Ok(Some(index)),
            Err(name) => extra.insert(name, members.value()?),
        };
    }
    Ok(None)
}

/// Reads the value of a field that may be there but once.
///
/// It is compiled once for each type of value, not for each field.
#[inline(never)]
pub(crate) fn once<'de, T: Decode<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    members: &mut Members<'_, 'de>,
) -> Result<()> {
    if slot.is_some() {
        return Err(members.duplicate(name));
    }
    *slot = Some(members.value()?);
    Ok(())
}

/// [`once`] for a length of time or the like: a negative one is read as 0.
pub(crate) fn once_from_zero(
    slot: &mut Option<Option<u64>>,
    name: &'static str,
    members: &mut Members<'_, '_>,
) -> Result<()> {
    let mut read = slot.take().map(|value| value.map(FromZero));
    once(&mut read, name, members)?;
    *slot = read.map(|value| value.map(|FromZero(value)| value));
    Ok(())
}
