//! Types of the model read from whatever serde can read from.
//!
//! A deserializer is asked for the text of the value, as serde_json's raw values ask for it, and
//! the text is decoded. What is compiled for each type and deserializer is little more than that
//! question.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::decode::{Decode, DecodeOwned};
use super::fault::words;
use super::handover::Receive;
use super::name::Name;
use super::raw_text::{self, RawText, Text, is_checked, raw_value_name};
use super::reader::Reader;
use super::scan::Scanner;

/// Reads a value that keeps nothing of the input.
pub(crate) fn deserialize<'de, T: DecodeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(raw_value_name(), Value(PhantomData))
}

/// Reads a value that borrows from the input, which has to be text.
pub(crate) fn deserialize_borrowed<'de, T: Decode<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(raw_value_name(), Part(PhantomData))
}

/// Decodes the one value that `text` is. It is found valid once more, because an object that was
/// read from anywhere can pass for an answer of serde_json.
fn decode<'de, T: Decode<'de>>(text: &'de str) -> serde_json::Result<T> {
    let mut reader = Reader::new(Scanner::new(text));
    let value = T::decode(&mut reader);
    reader.whole(value)
}

/// Why something that is not text can't be read.
pub(crate) const BORROWED: &str = "JSON can be borrowed from text only";

/// Decodes the text of a value where it stands.
struct Part<T>(PhantomData<T>);

impl<'de, T: Decode<'de>> Visitor<'de> for Part<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON text")
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        match map.next_key::<Name<'de>>()? {
            Some(Name(name)) if is_checked(&name) => map.next_value_seed(Receive::NEW),
            first => {
                let text = raw_text::answer(first, map)?.borrowed();
                let text = text.ok_or_else(|| A::Error::custom(BORROWED))?;
                decode(text).map_err(misfit)
            }
        }
    }
}

/// The place is left out: it is one in a value of which nobody knows where it stands.
#[cold]
fn misfit<E: Error>(error: serde_json::Error) -> E {
    E::custom(words(&error))
}

fn read<'de, T: DecodeOwned, E: Error>(text: &RawText<'de>) -> Result<T, E> {
    decode(text.get()).map_err(misfit)
}

/// Decodes the text of a value.
struct Value<T>(PhantomData<T>);

macro_rules! scalars {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<T, E> {
            Text::WRITTEN.$method(value).and_then(|text| read(&text))
        })*
    };
}

impl<'de, T: DecodeOwned> Visitor<'de> for Value<T> {
    type Value = T;

    scalars! {
        visit_bool: bool,
        visit_i64: i64,
        visit_i128: i128,
        visit_u64: u64,
        visit_u128: u128,
        visit_f64: f64,
        visit_char: char,
        visit_str: &str,
        visit_bytes: &[u8],
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Text::WRITTEN.expecting(f)
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Text::WRITTEN.visit_unit().and_then(|text| read(&text))
    }

    fn visit_none<E: Error>(self) -> Result<T, E> {
        Text::WRITTEN.visit_none().and_then(|text| read(&text))
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
        value
            .deserialize_any(Text::WRITTEN)
            .and_then(|text| read(&text))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
        value
            .deserialize_any(Text::WRITTEN)
            .and_then(|text| read(&text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        Text::WRITTEN.visit_seq(seq).and_then(|text| read(&text))
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        match map.next_key::<Name<'de>>()? {
            Some(Name(name)) if is_checked(&name) => map.next_value_seed(Receive::NEW),
            first => raw_text::answer(first, map).and_then(|text| read(&text)),
        }
    }
}
