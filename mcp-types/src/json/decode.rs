//! Values out of JSON text.
//!
//! What serde calls `Deserialize` is compiled anew for each kind of input. A type of the model is
//! read from text and nothing else, so that its decoder is there once; any other input is made
//! text of first.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Result, Value};

use super::fault::fault;
use super::reader::Reader;

/// A value that is read from JSON text.
///
/// An error that knows its place is about a value that does not fit; any other means that the text
/// is not JSON.
pub(crate) trait Decode<'de>: Sized {
    /// Reads the next value.
    fn decode(reader: &mut Reader<'de>) -> Result<Self>;
}

/// A value that keeps nothing of the text.
pub(crate) trait DecodeOwned: for<'de> Decode<'de> {}

impl<T: for<'de> Decode<'de>> DecodeOwned for T {}

/// Decodes text that is known to be one JSON value.
pub(crate) fn decode<'de, T: Decode<'de>>(text: &'de str) -> Result<T> {
    T::decode(&mut Reader::of_valid(text))
}

impl<'de> Decode<'de> for String {
    #[inline]
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        let quoted = reader.quoted()?;
        match quoted.escaped {
            true => reader.unescaped(quoted),
            false => Ok(quoted.inner.to_owned()),
        }
    }
}

impl<'de> Decode<'de> for Cow<'de, str> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.string()
    }
}

impl<'de> Decode<'de> for bool {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        scalar(reader, |text| match text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }
}

impl<'de> Decode<'de> for i64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        // JSON's negative zero is a fraction.
        scalar(reader, |text| text.parse().ok().filter(|_| text != "-0"))
    }
}

impl<'de> Decode<'de> for u64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        scalar(reader, |text| text.parse().ok())
    }
}

impl<'de> Decode<'de> for f64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        scalar(reader, |text| text.parse::<u32>().ok().map(Self::from))
    }
}

/// Reads a value without parts; what is not plain is left to serde_json.
fn scalar<'de, T: Deserialize<'de>>(
    reader: &mut Reader<'de>,
    plain: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    let text = reader.raw()?;
    match plain(text) {
        Some(value) => Ok(value),
        None => serde_json::from_str(text)
            .map_err(|error| reader.error_of(reader.place() - text.len(), &error)),
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    #[inline]
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        match reader.null()? {
            true => Ok(None),
            false => T::decode(reader).map(Some),
        }
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Box<T> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        T::decode(reader).map(Self::new)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.open(b'[', "a sequence")?;
        let (mut values, mut begun) = (Self::new(), false);
        while reader.another(&mut begun, b']')? {
            values.push(T::decode(reader)?);
        }
        reader.close(b']');
        Ok(values)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for BTreeMap<String, T> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        let mut map = Self::new();
        entries(reader, |name, reader| {
            map.insert(name, T::decode(reader)?);
            Ok(())
        })?;
        Ok(map)
    }
}

/// Reads an object, and hands over the name of each member, to have its value read.
pub(crate) fn entries<'de>(
    reader: &mut Reader<'de>,
    mut read: impl FnMut(String, &mut Reader<'de>) -> Result<()>,
) -> Result<()> {
    reader.open(b'{', "a map")?;
    let mut begun = false;
    while reader.another(&mut begun, b'}')? {
        let name = String::decode(reader)?;
        if !reader.scanner.eat(b':') {
            return Err(fault());
        }
        read(name, reader)?;
    }
    reader.close(b'}');
    Ok(())
}

impl<'de> Decode<'de> for Map<String, Value> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        let mut map = Self::new();
        entries(reader, |name, reader| {
            map.insert(name, Value::decode(reader)?);
            Ok(())
        })?;
        Ok(map)
    }
}

impl<'de> Decode<'de> for Value {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.peek();
        let (start, levels) = (reader.place(), reader.levels);
        if let Ok(value) = Self::deserialize(&mut *reader) {
            return Ok(value);
        }
        // serde_json says why not.
        reader.levels = levels;
        reader.go(start);
        let text = reader.raw()?;
        serde_json::from_str(text).map_err(|error| reader.error_of(start, &error))
    }
}
