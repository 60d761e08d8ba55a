//! Structs read from JSON objects, and from nothing else.
//!
//! What serde derives would also take a list for a struct, its fields in order. And it would be code
//! for each struct that goes through the members; here that is there once, and a struct only knows
//! which value goes where.

use serde_json::Result;

use crate::JsonObject;
use crate::json::{Decode, Members, Reader};
use crate::number::FromZero;
use crate::vacant::Vacant;

/// The members of a struct.
pub(crate) struct Fields {
    /// What an error says that was expected.
    pub(crate) expected: &'static str,
    /// Their names on the wire.
    pub(crate) names: &'static [&'static str],
    /// Those that must be there, each as the bit of its index.
    pub(crate) required: u64,
}

/// A struct that is an object on the wire.
pub(crate) trait Object<'de>: Fill<'de> + Vacant {
    /// Its members.
    const FIELDS: &'static Fields;
}

/// A struct whose fields are read one by one.
pub(crate) trait Fill<'de> {
    /// Reads the value of the member of that index.
    fn fill(&mut self, index: usize, members: &mut Members<'_, 'de>) -> Result<()>;

    /// Where members go that are no fields. Where there is no such place, they are skipped.
    fn extra(&mut self) -> Option<&mut JsonObject> {
        None
    }
}

impl<'de, T: Object<'de>> Object<'de> for Box<T> {
    const FIELDS: &'static Fields = T::FIELDS;
}

impl<'de, T: Fill<'de>> Fill<'de> for Box<T> {
    fn fill(&mut self, index: usize, members: &mut Members<'_, 'de>) -> Result<()> {
        T::fill(self, index, members)
    }

    fn extra(&mut self) -> Option<&mut JsonObject> {
        T::extra(self)
    }
}

/// Reads an object.
pub(crate) fn decode<'de, T: Object<'de>>(reader: &mut Reader<'de>) -> Result<T> {
    let mut object = T::vacant();
    match fill_whole(&mut object, T::FIELDS, reader) {
        Ok(()) => Ok(object),
        Err(fault) => Err(fault),
    }
}

fn fill_whole<'de>(
    object: &mut dyn Fill<'de>,
    fields: &'static Fields,
    reader: &mut Reader<'de>,
) -> Result<()> {
    reader.open(b'{', &fields.expected)?;
    fill(object, fields, &mut Members::of(reader))
}

/// Reads the members of an object that has been opened.
pub(crate) fn read<'de, T: Object<'de>>(members: &mut Members<'_, 'de>) -> Result<T> {
    let mut object = T::vacant();
    match fill(&mut object, T::FIELDS, members) {
        Ok(()) => Ok(object),
        Err(fault) => Err(fault),
    }
}

fn fill<'de>(
    object: &mut dyn Fill<'de>,
    fields: &'static Fields,
    members: &mut Members<'_, 'de>,
) -> Result<()> {
    let (mut found, is_open) = (0, object.extra().is_some());
    while let Some(index) = match is_open {
        true => next_or_keep(object, fields.names, members)?,
        false => members.next_known(fields.names)?,
    } {
        let this = 1_u64 << index;
        if found & this != 0 {
            return Err(members.duplicate(fields.names[index]));
        }
        found |= this;
        object.fill(index, members)?;
    }
    let absent = fields.required & !found;
    let absent = fields.names.get(absent.trailing_zeros() as usize);
    absent.map_or(Ok(()), |name| Err(members.missing(name)))
}

/// The next member that is a field, its value yet to be read; others are kept.
fn next_or_keep(
    object: &mut dyn Fill<'_>,
    names: &'static [&'static str],
    members: &mut Members<'_, '_>,
) -> Result<Option<usize>> {
    while let Some(found) = members.next_or_name(names)? {
        match (found, object.extra()) {
            (Ok(index), _) => return Ok(Some(index)),
            (Err(name), Some(extra)) => {
                extra.insert(name, members.value()?);
            }
            (Err(_), None) => members.skip()?,
        }
    }
    Ok(None)
}

/// Reads the value of a field.
///
/// It is compiled once for each type of value, not for each field.
#[inline(never)]
pub(crate) fn set<'de, T: Decode<'de>>(
    field: &mut T,
    members: &mut Members<'_, 'de>,
) -> Result<()> {
    match members.value() {
        Ok(value) => {
            *field = value;
            Ok(())
        }
        Err(fault) => Err(fault),
    }
}

/// [`set`] for a field that may be absent, and whose value may be `null`.
pub(crate) fn set_any<'de, T: Decode<'de>>(
    field: &mut Option<T>,
    members: &mut Members<'_, 'de>,
) -> Result<()> {
    *field = Some(members.value()?);
    Ok(())
}

/// [`set`] for a length of time or the like: a negative one is read as 0.
pub(crate) fn set_from_zero(field: &mut Option<u64>, members: &mut Members<'_, '_>) -> Result<()> {
    let value: Option<FromZero> = members.value()?;
    *field = value.map(|FromZero(value)| value);
    Ok(())
}
