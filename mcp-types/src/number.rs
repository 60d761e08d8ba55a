//! Numbers written the short way.
//!
//! The schema's `number` is an `f64` here. A whole one is written without a
//! fraction (`5`, not `5.0`), as most peers do, so that what came in as an
//! integer goes out as one.

use serde::Serializer;

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
