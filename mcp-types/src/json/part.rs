//! Values of the model, given to serializers other than this crate's own.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::Number;

use super::encode::{Encode, Encoder};
use crate::RawJsonRef;

/// What a value consists of.
pub enum Part<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// An integer that is not negative.
    Unsigned(u64),
    /// A fraction, or what has no form in JSON.
    Float(f64),
    /// A number of any kind.
    Number(&'a Number),
    /// A string.
    Text(&'a str),
    /// Any value, as JSON.
    Raw(&'a str),
    /// A list.
    List(Vec<&'a dyn Encode>),
    /// An object.
    Object(Vec<(&'a str, &'a dyn Encode)>),
}

impl<'a> Part<'a> {
    fn of(value: &'a dyn Encode) -> Self {
        let mut part = Self::Null;
        value.encode(&mut Encoder::Part(&mut part));
        part
    }

    /// Adds an item to a list.
    pub(super) fn push_item(&mut self, item: &'a dyn Encode) {
        if let Self::List(items) = self {
            items.push(item);
        }
    }

    /// Adds a member to an object.
    #[inline(never)]
    pub(super) fn push(&mut self, name: &'a str, value: &'a dyn Encode) {
        if let Self::Object(members) = self {
            members.push((name, value));
        }
    }
}

/// Serialises `value` by whatever serializer, which is compiled once for all types.
pub(crate) fn serialize<S: Serializer>(
    value: &dyn Encode,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match Part::of(value) {
        Part::Null => serializer.serialize_none(),
        Part::Bool(value) => serializer.serialize_bool(value),
        Part::Integer(value) => serializer.serialize_i64(value),
        Part::Unsigned(value) => serializer.serialize_u64(value),
        Part::Float(value) => serializer.serialize_f64(value),
        Part::Number(value) => value.serialize(serializer),
        Part::Text(text) => serializer.serialize_str(text),
        Part::Raw(json) => RawJsonRef::of_checked(json).serialize(serializer),
        Part::List(items) => {
            let mut list = serializer.serialize_seq(Some(items.len()))?;
            for item in items {
                list.serialize_element(&BySerde(item))?;
            }
            list.end()
        }
        Part::Object(members) => {
            let mut object = serializer.serialize_map(Some(members.len()))?;
            for (name, value) in members {
                object.serialize_entry(name, &BySerde(value))?;
            }
            object.end()
        }
    }
}

/// A part of a value.
struct BySerde<'a>(&'a dyn Encode);

impl Serialize for BySerde<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}
