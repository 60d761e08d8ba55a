//! Values without quotes, by the core schema of YAML 1.2.2 (10.3.2).

use serde_json::Value;

/// The largest integer that every JSON reader keeps: 2^53 - 1.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Digits of a decimal number. No double needs more than 17.
const MAX_DIGITS: usize = 40;

/// Returns the value of `text`, or `None` for a number that JSON lacks or its readers would round.
pub(super) fn resolve(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => None,
        _ if matches!(unsigned, ".inf" | ".Inf" | ".INF") => None,
        _ if is_integer(unsigned, 10) => integer(text, 10),
        _ if text.starts_with("0o") && is_integer(&text[2..], 8) => integer(&text[2..], 8),
        _ if text.starts_with("0x") && is_integer(&text[2..], 16) => integer(&text[2..], 16),
        _ => decimal(text, unsigned).unwrap_or_else(|| Some(Value::from(text))),
    }
}

fn is_integer(text: &str, radix: u32) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_digit(radix))
}

fn integer(text: &str, radix: u32) -> Option<Value> {
    let number = i64::from_str_radix(text, radix).ok()?;
    (number.unsigned_abs() <= MAX_INTEGER).then(|| number.into())
}

/// Returns `None` if `text` is not a number, and `Some(None)` if a double would round it.
fn decimal(text: &str, unsigned: &str) -> Option<Option<Value>> {
    let is_start = unsigned.starts_with(|it: char| it.is_ascii_digit() || it == '.');
    let is_decimal = |it: char| it.is_ascii_digit() || "+-.eE".contains(it);
    let text = Some(text).filter(|_| is_start && unsigned.chars().all(is_decimal));
    let number: f64 = text?.parse().ok()?;
    let expected = digits(unsigned);
    // With as many digits as the text has, an exact number is written in the same way.
    let precision = expected.0.len().clamp(1, MAX_DIGITS) - 1;
    let is_exact = digits(&format!("{:.precision$e}", number.abs())) == expected;
    Some(is_exact.then(|| number.into()))
}

/// Returns the digits without zeros at their ends, and the power of ten of the last digit.
fn digits(unsigned: &str) -> (String, i64) {
    let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() as i64 - significant.len() as i64 - fraction.len() as i64;
    let exponent = exponent.parse::<i64>().unwrap_or(i64::MIN / 2);
    match significant.trim_start_matches('0') {
        "" => (String::new(), 0),
        digits => (digits.to_owned(), exponent.saturating_add(zeros)),
    }
}
