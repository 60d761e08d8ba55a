//! Numbers written the short way, and read in a lenient one.
//!
//! The schema's `number` is an `f64` here. A whole one is written without a
//! fraction (`5`, not `5.0`), as most peers do, so that what came in as an
//! integer goes out as one.

use serde::Serializer;
use serde_json::Result;

use crate::json::{Decode, Reader};

/// Up to here each whole `f64` is exact.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Serialises one number.
pub(crate) fn serialize<S: Serializer>(
    value: &f64,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
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
) -> std::result::Result<S::Ok, S::Error> {
    match value {
        Some(value) => serialize(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// An integer that is 0 where a peer says that it is less.
pub(crate) struct FromZero(pub(crate) u64);

impl<'de> Decode<'de> for FromZero {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.peek();
        let start = reader.place();
        match reader.raw()?.parse::<f64>() {
            Ok(value) if value <= 0.0 => Ok(Self(0)),
            _ => {
                reader.go(start);
                u64::decode(reader).map(Self)
            }
        }
    }
}
