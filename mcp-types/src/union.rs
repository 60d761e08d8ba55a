//! Decoding of unions, by the fields that distinguish their members.
//!
//! An object whose tag comes first is decoded in one pass. Any other object is first collected as
//! text. An object that matches no member is kept as [`RawJson`].

pub(crate) mod best_match;
pub(crate) mod message;

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::RawJson;
use crate::text::Text;

/// A union whose members are objects.
pub(crate) trait Union: Sized {
    fn read<'de, D: Deserializer<'de>>(index: usize, object: D) -> Result<Self, D::Error>;

    /// Keeps a value that matches no member.
    fn unknown(json: RawJson) -> Self;
}

/// A union whose members are distinguished by the value of one field.
pub(crate) trait ByField: Union {
    const FIELD: &'static str;
    /// The value of the field in each member.
    const VALUES: &'static [&'static str];
    /// The index of the member that may lack the field, and that keeps the field if it is present.
    const DEFAULT: Option<usize> = None;
}

/// A union whose members are distinguished by a field that only one member has.
pub(crate) trait ByKey: Union {
    /// The field that only this member has, for each member.
    const KEYS: &'static [&'static str];
}

/// Decodes a union whose members are distinguished by the value of one field.
///
/// # Errors
///
/// When the value is not an object, lacks the field, or does not fit the member.
pub(crate) fn by_field<'de, T: ByField, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(FieldVisitor(PhantomData))
}

/// Decodes a union whose members are distinguished by a field that only one member has.
///
/// # Errors
///
/// When the value is not an object, or does not fit the member.
pub(crate) fn by_key<'de, T: ByKey, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(KeyVisitor(PhantomData))
}

struct FieldVisitor<T>(PhantomData<T>);

impl<'de, T: ByField> Visitor<'de> for FieldVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", T::FIELD)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = ObjectText::default();
        let mut tag = None;
        while let Some(Text(name)) = map.next_key()? {
            if name != T::FIELD || tag.is_some() {
                object.push(&name, map.next_value::<Box<RawValue>>()?.get());
                continue;
            }
            let Text(value) = map.next_value()?;
            let index = T::VALUES.iter().position(|known| *known == value);
            match index {
                Some(index) if object.is_empty() && T::DEFAULT != Some(index) => {
                    return T::read(index, MapAccessDeserializer::new(map));
                }
                _ => object.push(&name, RawJson::encode(&value).get()),
            }
            tag = Some(index);
        }
        match tag.or(T::DEFAULT.map(Some)) {
            Some(index) => object.read(index),
            None => Err(A::Error::missing_field(T::FIELD)),
        }
    }
}

struct KeyVisitor<T>(PhantomData<T>);

impl<'de, T: ByKey> Visitor<'de> for KeyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = ObjectText::default();
        let mut index = None;
        while let Some(Text(name)) = map.next_key()? {
            index = index.or(T::KEYS.iter().position(|key| *key == name));
            object.push(&name, map.next_value::<Box<RawValue>>()?.get());
        }
        object.read(index)
    }
}

/// The text of an object, collected member by member.
#[derive(Default)]
struct ObjectText(String);

impl ObjectText {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, name: &str, json: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(RawJson::encode(name).get());
        self.0.push(':');
        self.0.push_str(json);
    }

    /// Decodes the member with this index, or keeps the text if there is no index.
    fn read<T: Union, E: Error>(mut self, index: Option<usize>) -> Result<T, E> {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        match index {
            Some(index) => T::read(index, &mut serde_json::Deserializer::from_str(&self.0)),
            None => RawJson::from_text(self.0).map(T::unknown),
        }
        .map_err(without_place)
    }
}

/// Removes line and column from an error, because they refer to the collected text.
pub(crate) fn without_place<E: Error>(fault: serde_json::Error) -> E {
    let text = fault.to_string();
    let place = format!(" at line {} column {}", fault.line(), fault.column());
    E::custom(text.strip_suffix(&place).unwrap_or(&text))
}
