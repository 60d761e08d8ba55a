//! A reader as a deserializer, for types of other crates.
//!
//! It reads what messages are made of (objects, lists, strings, integers, raw values) in place;
//! all else, and whatever has a fault, is left to serde_json.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::de::StrRead;
use serde_json::{Error, Result};

use super::access::Members;
use super::fault::fault;
use super::handover::Handover;
use super::key::Name;
use super::raw_text::raw_value_name;
use super::reader::Reader;
use super::scan::Quoted;

impl<'de> Reader<'de> {
    #[inline]
    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let quoted = self.scanner.string().ok_or_else(fault)?;
        visit(quoted, visitor)
    }

    fn visit_array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.open(b'[', "a list")?;
        let value = visitor.visit_seq(Elements::of(self))?;
        if self.close(b']') {
            Ok(value)
        } else {
            Err(fault())
        }
    }

    #[inline]
    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.open(b'{', "an object")?;
        let mut members = Members::of(self);
        let value = visitor.visit_map(&mut members)?;
        if members.ended || self.close(b'}') {
            Ok(value)
        } else {
            Err(fault())
        }
    }

    fn visit_word<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.raw()? {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => visitor.visit_unit(),
        }
    }

    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let text = self.raw()?;
        // JSON's negative zero is a fraction.
        if text != "-0" && !text.contains(['.', 'e', 'E']) {
            if let Ok(number) = text.parse::<u64>() {
                return visitor.visit_u64(number);
            }
            if let Ok(number) = text.parse::<i64>() {
                return visitor.visit_i64(number);
            }
        }
        serde_json::Deserializer::from_str(text)
            .deserialize_any(visitor)
            .map_err(|_| fault())
    }

    /// Leaves the value to serde_json.
    fn leave<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> Result<T>,
    ) -> Result<T> {
        let mut value = serde_json::Deserializer::from_str(self.raw()?);
        let read = read(&mut value).and_then(|read| value.end().map(|()| read));
        // The place that serde_json tells is one in this value.
        read.map_err(|_| fault())
    }
}

#[inline]
pub(super) fn visit<'de, V: Visitor<'de>>(quoted: Quoted<'de>, visitor: V) -> Result<V::Value> {
    if quoted.escaped {
        visitor.visit_string(unescape(quoted.inner)?)
    } else {
        visitor.visit_borrowed_str(quoted.inner)
    }
}

#[cold]
fn unescape(inner: &str) -> Result<String> {
    serde_json::from_str(&format!("\"{inner}\"")).map_err(|_| fault())
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.scanner.peek().ok_or_else(fault)? {
            b'"' => self.visit_string(visitor),
            b'{' => self.visit_object(visitor),
            b'[' => self.visit_array(visitor),
            b't' | b'f' | b'n' => self.visit_word(visitor),
            _ => self.visit_number(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit_string(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit_string(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit_string(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.scanner.peek() {
            Some(b'{') => self.visit_object(visitor),
            _ => Err(fault()),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.null()? {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == raw_value_name() {
            visitor.visit_map(Handover(self))
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.leave(|value| value.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_bytes(visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_byte_buf(visitor))
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_i128(visitor))
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_u128(visitor))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.leave(|value| value.deserialize_f32(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f64 char unit unit_struct seq tuple tuple_struct struct
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.ended {
            return Ok(None);
        }
        match self.name()? {
            Some(name) => seed.deserialize(Name(name)).map(Some),
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(&mut *self.reader)
    }
}

/// The elements of a list that has been opened.
struct Elements<'a, 'de> {
    reader: &'a mut Reader<'de>,
    begun: bool,
}

impl<'a, 'de> Elements<'a, 'de> {
    fn of(reader: &'a mut Reader<'de>) -> Self {
        let begun = false;
        Self { reader, begun }
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.reader.another(&mut self.begun, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}
