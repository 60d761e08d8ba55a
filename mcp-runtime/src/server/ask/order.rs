//! The order in which a struct declares its fields.
//!
//! schemars puts them in the order of the alphabet. serde tells a decoder the declared one, and so
//! it is asked by a decoder that wants to know nothing else.

use std::cell::Cell;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The names of the fields of `T` on the wire, in their order; none if it is no plain struct.
pub(super) fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let fields = Cell::new(&[] as _);
    // Never a value: the decoder has none.
    let _ = T::deserialize(Ask(&fields));
    fields.get()
}

/// A decoder that has no value, and remembers which fields are wanted.
struct Ask<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Ask<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
