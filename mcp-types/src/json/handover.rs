//! A reader handed from this crate's deserializer to the decoder of a type of the model.
//!
//! In between there is serde, where a type knows neither what it is read from nor can ask. So the
//! reader comes as its parts, and where the decoder has got to goes back as the length of a tuple
//! that it asks for.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{BoolDeserializer, BorrowedStrDeserializer, UsizeDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Result};

use super::decode::Decode;
use super::raw_text::checked_name;
use super::reader::Reader;
use super::scan::Scanner;

/// An object with one member, which is the next value: its text, or the reader itself.
pub(super) struct Handover<'a, 'de>(pub(super) &'a mut Reader<'de>);

impl<'de> MapAccess<'de> for Handover<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let key = BorrowedStrDeserializer::new(checked_name());
        seed.deserialize(key).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(TextOrReader(self.0))
    }
}

/// The text of the next value, or, for whoever asks for a tuple, the reader.
struct TextOrReader<'a, 'de>(&'a mut Reader<'de>);

impl<'de> Deserializer<'de> for TextOrReader<'_, 'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.0.raw()?)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        let (reader, given) = (self.0, 0);
        visitor.visit_seq(Parts { reader, given })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple_struct map struct enum identifier ignored_any
    }
}

/// What a reader consists of, and a way back into it.
struct Parts<'a, 'de> {
    reader: &'a mut Reader<'de>,
    given: u8,
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.given += 1;
        let (scanner, levels) = (&mut self.reader.scanner, self.reader.levels);
        let part = match self.given {
            1 => seed.deserialize(BorrowedStrDeserializer::new(scanner.text())),
            2 => seed.deserialize(UsizeDeserializer::new(scanner.place())),
            3 => seed.deserialize(UsizeDeserializer::new(levels)),
            4 => seed.deserialize(BoolDeserializer::new(scanner.is_valid())),
            _ => seed.deserialize(Back(scanner)),
        };
        part.map(Some)
    }
}

/// Goes to the place that is the length of the tuple that is asked for.
struct Back<'a, 'de>(&'a mut Scanner<'de>);

impl<'de> Deserializer<'de> for Back<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, place: usize, visitor: V) -> Result<V::Value> {
        self.0.go(place);
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple_struct map struct enum identifier ignored_any
    }
}

/// Decodes a value with the reader that is handed over.
pub(super) struct Receive<T>(PhantomData<T>);

impl<T> Receive<T> {
    pub(super) const NEW: Self = Self(PhantomData);
}

impl<'de, T: Decode<'de>> DeserializeSeed<'de> for Receive<T> {
    type Value = T;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<T, D::Error> {
        reader.deserialize_tuple(1, self)
    }
}

impl<'de, T: Decode<'de>> Visitor<'de> for Receive<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reader")
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> std::result::Result<T, A::Error> {
        let mut reader = received(&mut parts)?;
        // The error keeps its place: it is told in the message, too.
        let value = T::decode(&mut reader).map_err(A::Error::custom)?;
        parts.next_element_seed(At(reader.place()))?;
        Ok(value)
    }
}

#[inline]
fn received<'de, A: SeqAccess<'de>>(parts: &mut A) -> std::result::Result<Reader<'de>, A::Error> {
    let text = parts.next_element()?.unwrap_or_default();
    let place = parts.next_element()?.unwrap_or_default();
    let levels = parts.next_element()?.unwrap_or_default();
    let scanner = match parts.next_element()? {
        Some(true) => Scanner::of_valid(text),
        _ => Scanner::new(text),
    };
    let mut reader = Reader { scanner, levels };
    reader.go(place);
    Ok(reader)
}

/// Tells where the decoder has got to.
struct At(usize);

impl<'de> DeserializeSeed<'de> for At {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, back: D) -> std::result::Result<(), D::Error> {
        back.deserialize_tuple(self.0, IgnoredAny).map(|_| ())
    }
}
