//! Values out of JSON text.
//!
//! What serde calls `Deserialize` is compiled anew for each kind of input. A type of the model is
//! read from text and nothing else, so that its decoder is there once; any other input is made
//! text of first.

use std::borrow::Cow;

use serde::de::Error as _;
use serde_json::{Error, Map, Result, Value};

use super::fault::fault;
use super::reader::Reader;
use super::token::{Number, Token};

/// A type that is read from JSON text, and from nothing else: one of the model, JSON itself, or a
/// list, a map or an option of these.
///
/// What reads a type by this trait is in a program once. By serde, which reads the types of the model
/// as well, it would be compiled anew for each kind of input. [`RawJson::read`](crate::RawJson::read)
/// and [`RawJsonRef::read`](crate::RawJsonRef::read) are the ways to it.
///
/// It can't be implemented elsewhere: types of users come by way of serde.
pub trait Decode<'de>: Sized {
    /// Reads the next value.
    ///
    /// # Errors
    ///
    /// One that knows its place is about a value that does not fit; any other means that the text is
    /// not JSON.
    #[doc(hidden)]
    fn decode(reader: &mut Reader<'de>) -> Result<Self>;
}

/// A value that keeps nothing of the text it was read from: see [`Decode`].
pub trait DecodeOwned: for<'de> Decode<'de> {}

impl<T: for<'de> Decode<'de>> DecodeOwned for T {}

/// Decodes text that is known to be one JSON value.
pub(crate) fn decode<'de, T: Decode<'de>>(text: &'de str) -> Result<T> {
    T::decode(&mut Reader::of_valid(text))
}

impl<'de> Decode<'de> for String {
    #[inline]
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.string().map(Cow::into_owned)
    }
}

impl<'de> Decode<'de> for Cow<'de, str> {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.string()
    }
}

impl<'de> Decode<'de> for bool {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.bool(&"a boolean")
    }
}

impl<'de> Decode<'de> for i64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        integer(reader, "i64")
    }
}

impl<'de> Decode<'de> for u64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        integer(reader, "u64")
    }
}

fn integer<T: TryFrom<u64> + TryFrom<i64>>(reader: &mut Reader<'_>, expected: &str) -> Result<T> {
    let number = reader.number(&expected)?;
    let integer = match number {
        Number::Unsigned(number) => T::try_from(number).ok(),
        Number::Signed(number) => T::try_from(number).ok(),
        Number::Float(_) => {
            let misfit = Error::invalid_type(number.unexpected(), &expected);
            return Err(reader.placed(misfit));
        }
    };
    integer.ok_or_else(|| reader.placed(Error::invalid_value(number.unexpected(), &expected)))
}

impl<'de> Decode<'de> for f64 {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        let text = reader.number_text(&"f64")?;
        match text.parse() {
            Ok(number) if f64::is_finite(number) => Ok(number),
            _ => Err(reader.too_large()),
        }
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
        reader.open(b'[', &"a sequence")?;
        list(reader)
    }
}

/// Reads a list that has been opened.
fn list<'de, T: Decode<'de>>(reader: &mut Reader<'de>) -> Result<Vec<T>> {
    let (mut values, mut begun) = (Vec::new(), false);
    while reader.another(&mut begun, b']')? {
        values.push(T::decode(reader)?);
    }
    reader.close(b']');
    Ok(values)
}

/// Reads an object, and hands over the name of each member, to have its value read.
pub(crate) fn entries<'de>(
    reader: &mut Reader<'de>,
    read: impl FnMut(String, &mut Reader<'de>) -> Result<()>,
) -> Result<()> {
    reader.open(b'{', &"a map")?;
    members(reader, read)
}

/// [`entries`] of an object that has been opened.
fn members<'de>(
    reader: &mut Reader<'de>,
    mut read: impl FnMut(String, &mut Reader<'de>) -> Result<()>,
) -> Result<()> {
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
        reader.open(b'{', &"a map")?;
        object(reader)
    }
}

/// Reads an object that has been opened.
fn object(reader: &mut Reader<'_>) -> Result<Map<String, Value>> {
    let mut object = Map::new();
    members(reader, |name, reader| {
        object.insert(name, Value::decode(reader)?);
        Ok(())
    })?;
    Ok(object)
}

impl<'de> Decode<'de> for Value {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        Ok(match reader.token()? {
            Token::Null => Self::Null,
            Token::Bool(value) => Self::Bool(value),
            Token::Number(number) => number.into(),
            Token::String(text) => Self::String(text.into_owned()),
            Token::List => list(reader).map(Self::Array)?,
            Token::Object => object(reader).map(Self::Object)?,
        })
    }
}
