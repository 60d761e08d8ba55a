//! The name of a member, as a value.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Result};

use super::deserializer::visit;
use super::fault::fault;
use super::raw_text::raw_value_name;
use super::scan::Quoted;

/// A name; what is to be made of it other than a string is left to serde_json.
pub(super) struct Name<'de>(pub(super) Quoted<'de>);

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit(self.0, visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == raw_value_name() {
            return Err(fault());
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(fault())
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value> {
        Err(fault())
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
