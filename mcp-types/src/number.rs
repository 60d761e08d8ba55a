//! Numbers written the short way, and read in a lenient one.
//!
//! The schema's `number` is an `f64` here. A whole one is written without a
//! fraction (`5`, not `5.0`), as most peers do, so that what came in as an
//! integer goes out as one.

use std::fmt;

use serde::Serializer;
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Up to here each whole `f64` is exact.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Serialises one number.
pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 && value.abs() <= LARGEST_EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// Serialises a number that may be absent.
pub(crate) fn serialize_option<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serialize(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// An integer that is 0 where a peer says that it is less.
pub(crate) struct FromZero(pub(crate) u64);

impl<'de> Deserialize<'de> for FromZero {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Integer;

        impl Visitor<'_> for Integer {
            type Value = FromZero;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer")
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<FromZero, E> {
                Ok(FromZero(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<FromZero, E> {
                Ok(FromZero(u64::try_from(value).unwrap_or(0)))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<FromZero, E> {
                match value <= 0.0 {
                    true => Ok(FromZero(0)),
                    false => Err(E::invalid_type(Unexpected::Float(value), &self)),
                }
            }
        }

        deserializer.deserialize_u64(Integer)
    }
}
