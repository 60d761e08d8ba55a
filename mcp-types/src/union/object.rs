//! Unions of objects, told apart by the value of a field or by a field's presence.

use serde_json::Result;

use super::tag;
use crate::RawJson;
use crate::json::{Decode, Members, Reader, place_of};

/// A union told apart by the value of one field.
pub(crate) trait ByField: Sized {
    /// The field's name.
    const FIELD: &'static str;
    /// What an error says that was expected.
    const EXPECTED: &'static str;
    /// The member that may lack the field, and keeps it where it is there.
    const DEFAULT: Option<usize> = None;

    /// Its value in each member.
    const VALUES: &'static [&'static str];

    /// Reads a member, but for the field.
    fn read(index: usize, members: &mut Members<'_, '_>) -> Result<Self>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// Reads a union told apart by the value of one field.
pub(crate) fn by_field<T: ByField>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek();
    let start = reader.place();
    reader.open(b'{', &T::EXPECTED)?;
    let (index, behind) = match tag::by_value(reader, T::FIELD)? {
        Some(tag) => match place_of(&tag.value, T::VALUES) {
            index if index == T::DEFAULT => (index, None),
            index => (index, tag.first),
        },
        None if T::DEFAULT.is_some() => (T::DEFAULT, None),
        None => return Err(tag::missing(reader, T::FIELD)),
    };
    let Some(index) = index else {
        return unknown(reader, start).map(T::unknown);
    };
    if let Some(behind) = behind {
        reader.go(behind);
    }
    T::read(index, &mut Members::rest(reader, behind.is_some()))
}

/// The whole object that begins at `start`, and has been opened.
fn unknown(reader: &mut Reader<'_>, start: usize) -> Result<RawJson> {
    reader.go_out(start);
    RawJson::decode(reader)
}

/// A union told apart by a field that only one member has.
pub(crate) trait ByKey: Sized {
    /// The field of each member.
    const KEYS: &'static [&'static str];

    /// Reads a member.
    fn read(index: usize, members: &mut Members<'_, '_>) -> Result<Self>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// Reads a union told apart by a field that only one member has.
pub(crate) fn by_key<T: ByKey>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek();
    let start = reader.place();
    reader.open(b'{', &"an object")?;
    match tag::by_name(reader, T::KEYS)? {
        Some(index) => T::read(index, &mut Members::of(reader)),
        None => unknown(reader, start).map(T::unknown),
    }
}
