//! Values without quotes, by the core schema of YAML 1.2.2 (10.3.2).

use serde_json::Value;

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
        _ if unsigned.starts_with(|it: char| it.is_ascii_digit() || it == '.') => decimal(text),
        _ => Some(text.into()),
    }
}

fn is_integer(text: &str, radix: u32) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_digit(radix))
}

fn integer(text: &str, radix: u32) -> Option<Value> {
    let number = i64::from_str_radix(text, radix).ok()?;
    // Every JSON reader keeps integers up to 2^53 - 1.
    (number.unsigned_abs() < 1 << 53).then(|| number.into())
}

/// Returns the string if `text` is not a number, and `None` if JSON readers would round it.
fn decimal(text: &str) -> Option<Value> {
    let Ok(number) = text.parse::<f64>() else {
        return Some(text.into());
    };
    let digits = significant(text);
    let json = Value::from(number);
    // A double keeps 15 digits. With more, they must be the digits with which JSON is written.
    let is_kept = digits.is_empty() || digits.len() <= 15 && number.is_normal();
    (is_kept || significant(&json.to_string()) == digits).then_some(json)
}

/// Returns the digits without the zeros at their ends.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits = mantissa.replace('.', "");
    digits.trim_matches(['-', '+', '0']).to_owned()
}
