//! Numbers read by their value, however they are written, and written as peers expect them.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use serde_json::Number;

/// The largest number up to which each whole `f64` is exact.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes a whole number without a fraction: `5`, not `5.0`.
pub(crate) fn whole<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match value.fract() == 0.0 && value.abs() <= LARGEST_EXACT {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the value is whole and in range"
        )]
        true => serializer.serialize_i64(*value as i64),
        false => serializer.serialize_f64(*value),
    }
}

/// [`whole`] for a field that may be absent.
pub(crate) fn whole_option<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => whole(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Reads an integer that is 0 where a peer sends less.
///
/// # Errors
///
/// When the value is neither `null` nor a number, or a positive one with a fraction.
pub(crate) fn from_zero<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let below = number.as_f64().is_some_and(|value| value <= 0.0);
    let value = if below { Some(0) } else { number.as_u64() };
    let fault = || D::Error::custom(format_args!("expected an integer, found {number}"));
    value.map(Some).ok_or_else(fault)
}

/// The largest power of ten that [`integer_digits`] writes out; no finite `f64` has a larger one.
const MAX_ZEROS: i64 = 308;

/// The digits of the integer that a JSON number denotes, such as `100` for `1e2` and `1.0e2`;
/// `None` for a number with a fraction.
///
/// JSON Schema counts every number without a fraction as an integer, however it is written.
/// `number` is a number by the grammar of JSON. The digits have no leading zeros, and zero has no
/// sign. `None` also stands for a number with an exponent that adds more than 308 zeros, which is
/// beyond every type of number.
///
/// ```
/// use mcp_types::integer_digits;
///
/// assert_eq!(integer_digits("-7").as_deref(), Some("-7"));
/// assert_eq!(integer_digits("3.0").as_deref(), Some("3"));
/// assert_eq!(integer_digits("1e2").as_deref(), Some("100"));
/// assert_eq!(integer_digits("-0").as_deref(), Some("0"));
/// assert_eq!(integer_digits("1.5"), None);
/// ```
#[must_use]
pub fn integer_digits(number: &str) -> Option<Cow<'_, str>> {
    let is_plain = !number.contains(['.', 'e', 'E']);
    if is_plain && number != "-0" {
        return Some(Cow::Borrowed(number));
    }
    let (sign, number) = match number.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Cow::Borrowed("0"));
    }
    let significant = significant.trim_end_matches('0');
    let exponent: i64 = exponent.parse().ok()?;
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
    let zeros = exponent.checked_add(shift)?;
    if zeros > MAX_ZEROS {
        return None;
    }
    let zeros = "0".repeat(usize::try_from(zeros).ok()?);
    Some(Cow::Owned([sign, significant, &zeros].concat()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_an_integer_has_the_same_digits() {
        for (number, digits) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e999999999999999999999", "0"),
            ("7", "7"),
            ("-7.00", "-7"),
            ("1e2", "100"),
            ("1E+2", "100"),
            ("1.5e1", "15"),
            ("1500e-2", "15"),
            ("10.0e-1", "1"),
            ("0.0002e5", "20"),
            ("9223372036854775807.0", "9223372036854775807"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
        ] {
            assert_eq!(integer_digits(number).as_deref(), Some(digits), "{number}");
        }
    }

    #[test]
    fn a_fraction_is_no_integer() {
        for number in [
            "1.5",
            "1e-1",
            "15e-1",
            "0.1e0",
            "1e999999999999999999999",
            "1e309",
        ] {
            assert_eq!(integer_digits(number), None, "{number}");
        }
    }

    proptest! {
        #[test]
        fn digits_agree_with_floating_point(number in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][-+]?[0-9])?") {
            let value: f64 = number.parse().unwrap();
            match integer_digits(&number) {
                Some(digits) => prop_assert_eq!(digits.parse::<f64>().unwrap(), value + 0.0),
                None => prop_assert!(value.fract() != 0.0),
            }
        }
    }
}
