//! Unions of objects, told apart by the value of a field or by a field's presence.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::replay::{Held, Key, Replay, collect};
use crate::RawJson;
use crate::json::{BY_FIELD, BY_KEY, RawText};

/// A union told apart by the value of one field.
pub(crate) trait ByField: Sized {
    /// The field's name.
    const FIELD: &'static str;
    /// The field's name, and the values that it has.
    const NAMES: &'static [&'static str];
    /// The member that may lack the field, and keeps it where it is there.
    const DEFAULT: Option<usize> = None;

    /// The member with that value.
    fn index(value: &str) -> Option<usize>;

    /// Decodes a member.
    fn decode<'de, A: MapAccess<'de>>(index: usize, map: A) -> Result<Self, A::Error>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// Reads a union told apart by the value of one field.
pub(crate) fn by_field<'de, T: ByField, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_struct(BY_FIELD, T::NAMES, FieldVisitor(PhantomData))
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: ByField> Visitor<'de> for FieldVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", T::FIELD)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut held = Held::new();
        while let Some(Key(key)) = map.next_key()? {
            if key != T::FIELD {
                held.push((key, map.next_value()?));
                continue;
            }
            let Key(value) = map.next_value()?;
            let index = T::index(&value);
            if index.is_none() || index == T::DEFAULT {
                held.push((key, RawText::of_str(&value).map_err(A::Error::custom)?));
            }
            return match index {
                Some(index) if held.is_empty() => T::decode(index, map),
                Some(index) => T::decode(index, Replay::new(held, None, map)),
                None => collect(&held, map).map(T::unknown),
            };
        }
        match T::DEFAULT {
            Some(index) => T::decode(index, Replay::new(held, None, map)),
            None => Err(A::Error::missing_field(T::FIELD)),
        }
    }
}

/// A union told apart by a field that only one member has.
pub(crate) trait ByKey: Sized {
    /// The fields that only one member has.
    const NAMES: &'static [&'static str];

    /// The member with that field.
    fn index(key: &str) -> Option<usize>;

    /// Decodes a member.
    fn decode<'de, A: MapAccess<'de>>(index: usize, map: A) -> Result<Self, A::Error>;

    /// What no member fits.
    fn unknown(json: RawJson) -> Self;
}

/// Reads a union told apart by a field that only one member has.
pub(crate) fn by_key<'de, T: ByKey, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(BY_KEY, T::NAMES, KeyVisitor(PhantomData))
}

struct KeyVisitor<T>(PhantomData<T>);

impl<'de, T: ByKey> Visitor<'de> for KeyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut held = Held::new();
        while let Some(Key(key)) = map.next_key()? {
            match T::index(&key) {
                Some(index) => return T::decode(index, Replay::new(held, Some(key), map)),
                None => held.push((key, map.next_value()?)),
            }
        }
        collect(&held, map).map(T::unknown)
    }
}
