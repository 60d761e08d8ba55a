//! Numbers in JSON: reads them by value, whatever their notation, and writes them as peers expect.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::ser::Serializer;

/// The largest number up to which an `f64` represents all integers exactly.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes a whole number without a fraction: `5`, not `5.0`.
pub(crate) fn whole<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the value is whole and in range"
    )]
    if value.fract() == 0.0 && value.abs() <= LARGEST_EXACT {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// Like [`whole`], for an optional field.
pub(crate) fn whole_option<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => whole(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// The integer that a JSON number denotes in any notation: `3`, `3.0` or `30e-1`.
///
/// JSON Schema does not limit integers; here the limit is 128 bits. A number with a fraction or an
/// exponent, or with more than 64 bits, has the precision of an `f64`.
struct Whole(i128);

impl Whole {
    fn fit<T: TryFrom<i128>, E: Error>(self) -> Result<T, E> {
        let bits = 8 * size_of::<T>();
        let fault = |_| E::custom(format_args!("integer {} is beyond {bits} bits", self.0));
        T::try_from(self.0).map_err(fault)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer of at most 128 bits")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
        Ok(Whole(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(value.into()))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the value is whole and in range"
    )]
    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        if value.fract() == 0.0 && value.abs() < i128::MAX as f64 {
            Ok(Whole(value as i128))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }
}

/// Serde functions for a required integer field.
pub(crate) mod integer {
    use super::{Deserialize, Deserializer, Serializer, Whole};

    /// Reads an integer in any notation.
    ///
    /// # Errors
    ///
    /// When the value is not a number, has a fraction, or does not fit into `T`.
    pub(crate) fn deserialize<'de, T: TryFrom<i128>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Whole::deserialize(deserializer)?.fit()
    }

    /// Writes an integer. Integers with more than 64 bits are written like an `f64`, which every peer
    /// can read.
    pub(crate) fn serialize<T: Copy + Into<i128>, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let value: i128 = (*value).into();
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => serializer.serialize_i64(value),
            (_, Ok(value)) => serializer.serialize_u64(value),
            #[allow(clippy::cast_precision_loss, reason = "the documented limit")]
            _ => serializer.serialize_f64(value as f64),
        }
    }
}

/// Serde functions for an optional integer field.
pub(crate) mod integer_option {
    use super::{Deserialize, Deserializer, Serializer, Whole, integer};

    /// Reads an integer in any notation; `null` is treated as absent.
    ///
    /// # Errors
    ///
    /// When the value is neither `null` nor a number, has a fraction, or does not fit into `T`.
    pub(crate) fn deserialize<'de, T: TryFrom<i128>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let value = Option::<Whole>::deserialize(deserializer)?;
        value.map(Whole::fit).transpose()
    }

    pub(crate) fn serialize<T: Copy + Into<i128>, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => integer::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }
}

/// Reads an integer, and brings it into the range of `u64`: a negative number becomes 0.
///
/// # Errors
///
/// When the value is neither `null` nor a number, or is positive and has a fraction.
pub(crate) fn from_zero<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    if number.as_f64().is_some_and(|value| value <= 0.0) {
        return Ok(Some(0));
    }
    let Whole(value) = Whole::deserialize(number).map_err(D::Error::custom)?;
    Ok(Some(u64::try_from(value).unwrap_or(u64::MAX)))
}

/// The largest power of ten that [`integer_digits`] writes out. No finite `f64` has a larger one.
const MAX_ZEROS: i64 = 308;

/// Returns the digits of the integer that a JSON number denotes, such as `100` for `1e2` and `1.0e2`,
/// or `None` for a number with a fraction.
///
/// In JSON Schema, every number without a fraction is an integer, whatever its notation. `number` must
/// be a valid JSON number. The digits have no leading zeros, and zero has no sign. The function also
/// returns `None` if the exponent adds more than 308 zeros: no type of number is that large.
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
    use serde_json::{Value, json};

    use super::*;

    /// Decodes and encodes an integer field.
    fn through(json: &str) -> Result<String, String> {
        let mut decoder = serde_json::Deserializer::from_str(json);
        let fault = |fault: serde_json::Error| fault.to_string();
        let value: i128 = integer::deserialize(&mut decoder).map_err(fault)?;
        let written = integer::serialize(&value, serde_json::value::Serializer);
        written.map(|json| json.to_string()).map_err(fault)
    }

    #[test]
    fn integers_are_read_however_they_are_written() {
        for (json, written) in [
            ("7", "7"),
            ("-7.0", "-7"),
            ("1e3", "1000"),
            ("15e-1", "invalid value: floating point `1.5`"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775809", "-9223372036854775808"),
            ("100000000000000000000", "1e+20"),
            ("1e39", "expected an integer of at most 128 bits"),
            ("\"1\"", "invalid type: string"),
        ] {
            let through = through(json).unwrap_or_else(|fault| fault);
            assert!(through.contains(written), "{json}: {through}");
        }
    }

    #[test]
    fn an_integer_beyond_its_type_names_the_limit() {
        let fault = integer::deserialize::<i64, _>(json!(1e20)).unwrap_err();
        let expected = "integer 100000000000000000000 is beyond 64 bits";
        assert_eq!(fault.to_string(), expected);
    }

    #[test]
    fn optional_integers_are_absent_or_in_range() {
        let read = |json: Value| integer_option::deserialize::<i64, _>(json).unwrap();
        assert_eq!([read(json!(null)), read(json!(2.0))], [None, Some(2)]);
        let ranged = |json: Value| from_zero(json).unwrap();
        assert_eq!(ranged(json!(-1.5)), Some(0));
        assert_eq!(
            [ranged(json!(1e20)), ranged(json!(null))],
            [Some(u64::MAX), None]
        );
        assert!(from_zero(json!(0.5)).is_err());
    }

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
    fn a_fraction_is_not_an_integer() {
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
