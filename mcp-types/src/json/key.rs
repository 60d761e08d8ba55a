//! The name of a member, as a value.

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Result};
use std::borrow::Cow;

use super::deserializer::visit;
use super::handover::Handover;
use super::raw_text::raw_value_name;
use super::reader::Reader;
use super::scan::Quoted;
use super::variant;

/// A name, which can be read as other things than a string: a number, a boolean.
pub(super) struct Name<'a, 'de> {
    quoted: Quoted<'de>,
    /// Of the text that it stands in.
    reader: &'a Reader<'de>,
}

impl<'a, 'de> Name<'a, 'de> {
    #[inline]
    pub(super) fn of(quoted: Quoted<'de>, reader: &'a Reader<'de>) -> Self {
        Self { quoted, reader }
    }

    #[inline]
    fn text(&self) -> Result<Cow<'de, str>> {
        self.reader.said(self.quoted)
    }

    /// Reads what stands between the quotation marks, which has to be a number.
    fn number<T>(&self, read: impl FnOnce(&mut Reader<'de>) -> Result<T>) -> Result<T> {
        let start = self.reader.place_of(self.quoted);
        match Reader::of_number(self.quoted.inner) {
            Some(mut number) => {
                read(&mut number).map_err(|error| self.reader.error_of(start, &error))
            }
            None => Err(self.reader.error(start, NO_NUMBER)),
        }
    }
}

const NO_NUMBER: &str = "invalid value: expected key to be a number in quotes";

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.number(|number| number.$method(visitor))
        })*
    };
}

impl<'de> Deserializer<'de> for Name<'_, 'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit(self.text()?, visitor)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match &*self.text()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => Err(Error::invalid_type(Unexpected::Str(other), &visitor)),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == raw_value_name() {
            visitor.visit_map(Handover(&mut self.reader.at_string(self.quoted)))
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        variant::of_name(self.text()?, visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
