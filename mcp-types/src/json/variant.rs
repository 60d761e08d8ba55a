//! Variants of enums of other crates: a name, or an object with one member.

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde_json::{Error, Result};
use std::borrow::Cow;

use super::access::Members;
use super::key::Name;
use super::reader::Reader;

/// Reads a variant.
pub(super) fn deserialize<'de, V: Visitor<'de>>(
    reader: &mut Reader<'de>,
    visitor: V,
) -> Result<V::Value> {
    match reader.peek() {
        Some(b'"') => {
            let name = reader.string()?;
            of_name(name, visitor).map_err(|error| reader.placed(error))
        }
        Some(b'{') => {
            reader.open(b'{', &"an enum")?;
            let value = visitor.visit_enum(Variant(reader))?;
            match reader.close(b'}') {
                true => Ok(value),
                false => Err(reader.error(reader.place(), NO_VALUE)),
            }
        }
        _ => Err(reader.error(reader.place() + 1, NO_VALUE)),
    }
}

/// What serde_json says where it finds no variant.
const NO_VALUE: &str = "expected value";

/// A variant that is no more than its name.
pub(super) fn of_name<'de, V: Visitor<'de>>(name: Cow<'de, str>, visitor: V) -> Result<V::Value> {
    match name {
        Cow::Borrowed(name) => visitor.visit_enum(BorrowedStrDeserializer::<Error>::new(name)),
        Cow::Owned(name) => visitor.visit_enum(StringDeserializer::<Error>::new(name)),
    }
}

/// The object of a variant, which has been opened.
struct Variant<'a, 'de>(&'a mut Reader<'de>);

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let Some(name) = Members::of(self.0).name()? else {
            return Err(self.0.error(self.0.place(), NO_VALUE));
        };
        let variant = seed.deserialize(Name::of(name, self.0));
        match variant {
            Ok(variant) => Ok((variant, self)),
            Err(error) => {
                self.0.go(self.0.place_of(name) + name.inner.len() + 1);
                Err(self.0.placed(error))
            }
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.0.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.0.deserialize_struct("", fields, visitor)
    }
}
