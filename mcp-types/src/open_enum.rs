//! Strings out of a list that may grow.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

/// An enum of strings with room for those it does not know.
pub(crate) trait OpenEnum: Sized {
    /// The variant for `value`, if there is one of its own.
    fn known(value: &str) -> Option<Self>;

    /// The variant for all other values.
    fn unknown(value: String) -> Self;
}

/// Reads a string; only an unknown one is allocated.
pub(crate) fn deserialize<'de, T: OpenEnum, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Value(PhantomData))
}

struct Value<T>(PhantomData<T>);

impl<T: OpenEnum> Visitor<'_> for Value<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
        Ok(T::known(value).unwrap_or_else(|| T::unknown(value.to_owned())))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<T, E> {
        Ok(T::known(&value).unwrap_or_else(|| T::unknown(value)))
    }
}
