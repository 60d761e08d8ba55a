//! A reader as a deserializer, for types of other crates.
//!
//! It asks the visitor for no more than serde_json would, and says the same of what does not fit,
//! at the same place. What reads is the reader; here is what has to be compiled for each type.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::de::StrRead;
use serde_json::{Error, Result};

use super::access::Members;
use super::fault::fault;
use super::handover::Handover;
use super::key::Name;
use super::raw_text::raw_value_name;
use super::reader::Reader;
use super::token::Token;
use super::variant;

impl<'de> Reader<'de> {
    /// Reads the elements of a list that has been opened, and leaves it.
    fn visit_list<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let begun = false;
        let elements = Elements {
            reader: self,
            begun,
        };
        match visitor.visit_seq(elements) {
            Ok(list) if self.close(b']') => Ok(list),
            Ok(_) => Err(self.too_long()),
            Err(error) => Err(self.failed_in_list(error)),
        }
    }

    /// Reads the members of an object that has been opened, and leaves it.
    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut members = Members::of(self);
        let value = visitor.visit_map(&mut members);
        let ended = members.ended;
        match value {
            Ok(object) if ended || self.close(b'}') => Ok(object),
            Ok(_) => Err(self.error(self.place() + 1, "trailing comma")),
            Err(error) => Err(self.failed_in_object(ended, error)),
        }
    }

    /// A list goes on behind what was wanted of it.
    #[cold]
    fn too_long(&mut self) -> Error {
        self.scanner.eat(b',');
        self.peek();
        self.error(self.place() + 1, "trailing characters")
    }

    /// The place of an error is behind the list, if it ends here.
    #[cold]
    fn failed_in_list(&mut self, error: Error) -> Error {
        if !self.close(b']') && self.scanner.eat(b',') {
            self.peek();
        }
        self.placed(error)
    }

    /// The place of an error is behind the object, if it ends here.
    #[cold]
    fn failed_in_object(&mut self, ended: bool, error: Error) -> Error {
        let behind_name = self.place().saturating_sub(1);
        if self.scanner.text().as_bytes().get(behind_name) == Some(&b':') {
            self.levels += 1;
            self.go(behind_name);
        } else if !ended {
            self.close(b'}');
        }
        self.placed(error)
    }

    /// Leaves the value to serde_json.
    fn leave<T>(
        &mut self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> Result<T>,
    ) -> Result<T> {
        let text = self.raw()?;
        let mut value = serde_json::Deserializer::from_str(text);
        let read = read(&mut value).and_then(|read| value.end().map(|()| read));
        read.map_err(|error| self.error_of(self.place() - text.len(), &error))
    }
}

#[inline]
pub(super) fn visit<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let number = self.number(&visitor)?;
            number.visit(visitor).map_err(|error| self.placed(error))
        })*
    };
}

macro_rules! left {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.leave(|value| value.$method(visitor))
        })*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = match self.token()? {
            Token::Null => visitor.visit_unit(),
            Token::Bool(value) => visitor.visit_bool(value),
            Token::Number(number) => number.visit(visitor),
            Token::String(text) => visit(text, visitor),
            Token::List => self.visit_list(visitor),
            Token::Object => self.visit_object(visitor),
        };
        value.map_err(|error| self.placed(error))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.bool(&visitor)?;
        visitor
            .visit_bool(value)
            .map_err(|error| self.placed(error))
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let text = self.number_text(&visitor)?;
        // Rounded once: to the nearest of this type, not of a larger one first.
        let number: f32 = text.parse().map_err(|_| fault())?;
        match number.is_finite() {
            true => visitor
                .visit_f32(number)
                .map_err(|error| self.placed(error)),
            false => Err(self.too_large()),
        }
    }

    left! {
        deserialize_i128 deserialize_u128 deserialize_bytes deserialize_byte_buf
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let text = self.string_for(&visitor)?;
        visit(text, visitor).map_err(|error| self.placed(error))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.null()? {
            true => visitor.visit_unit().map_err(|error| self.placed(error)),
            false => Err(self.misfit(&visitor)),
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

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.open(b'[', &visitor)?;
        self.visit_list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.open(b'{', &visitor)?;
        self.visit_object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.peek() {
            Some(b'[') => self.deserialize_seq(visitor),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        variant::deserialize(self, visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
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
            Some(quoted) => seed.deserialize(Name::of(quoted, self.reader)).map(Some),
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
