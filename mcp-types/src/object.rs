//! Structs read from JSON objects, and from nothing else.
//!
//! What serde derives would also take a list for a struct, its fields in order.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor,
};

use crate::JsonObject;
use crate::number::FromZero;

/// A struct that is an object on the wire.
pub(crate) trait Object<'de>: Sized {
    /// What an error calls it.
    const NAME: &'static str;

    /// The field with that name on the wire.
    fn index(key: &str) -> Option<usize>;

    /// Reads the members.
    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

impl<'de, T: Object<'de>> Object<'de> for Box<T> {
    const NAME: &'static str = T::NAME;

    fn index(key: &str) -> Option<usize> {
        T::index(key)
    }

    fn read<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::read(map).map(Self::new)
    }
}

/// Reads an object.
pub(crate) fn deserialize<'de, T: Object<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Members(PhantomData))
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Object<'de>> Visitor<'de> for Members<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object, {}", T::NAME)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::read(map)
    }
}

/// The next field that `T` has, its value yet to be read; others are skipped.
#[inline]
pub(crate) fn next_known<'de, T: Object<'de>, A: MapAccess<'de>>(
    map: &mut A,
) -> Result<Option<usize>, A::Error> {
    while let Some(index) = map.next_key_seed(Lookup::<T>(PhantomData))? {
        match index {
            Some(index) => return Ok(Some(index)),
            None => skip(map)?,
        }
    }
    Ok(None)
}

/// The next field that `T` has, its value yet to be read; others go into `extra`.
#[inline]
pub(crate) fn next_or_keep<'de, T: Object<'de>, A: MapAccess<'de>>(
    map: &mut A,
    extra: &mut JsonObject,
) -> Result<Option<usize>, A::Error> {
    while let Some(found) = map.next_key_seed(LookupOrName::<T>(PhantomData))? {
        match found {
            Ok(index) => return Ok(Some(index)),
            Err(name) => extra.insert(name, map.next_value()?),
        };
    }
    Ok(None)
}

/// Reads the value of a field that may be there but once.
#[inline]
pub(crate) fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *slot = Some(map.next_value()?);
    Ok(())
}

/// [`once`] for a length of time or the like: a negative one is read as 0.
pub(crate) fn once_from_zero<'de, A: MapAccess<'de>>(
    slot: &mut Option<Option<u64>>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    let mut read = slot.take().map(|value| value.map(FromZero));
    once(&mut read, name, map)?;
    *slot = read.map(|value| value.map(|FromZero(value)| value));
    Ok(())
}

/// Reads over a value.
#[inline]
pub(crate) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(|_| ())
}

/// Looks a name up while it is borrowed: it is copied nowhere, even if it has escapes.
struct Lookup<T>(PhantomData<T>);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for Lookup<T> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for Lookup<T> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(T::index(name))
    }
}

/// Looks a name up, and gives back the one that is unknown.
struct LookupOrName<T>(PhantomData<T>);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for LookupOrName<T> {
    type Value = Result<usize, String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for LookupOrName<T> {
    type Value = Result<usize, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(T::index(name).ok_or_else(|| name.to_owned()))
    }
}
