//! Lone surrogates, which JSON strings can contain and Rust strings can't.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// Returns true if `json` has an escaped lone surrogate.
pub(super) fn may_be_alone(json: &str) -> bool {
    let has = |start: &str| memmem::find(json.as_bytes(), start.as_bytes()).is_some();
    (has("\\ud") || has("\\uD")) && matches!(well_formed(json), Cow::Owned(_))
}

/// Replaces each lone surrogate in otherwise valid JSON with U+FFFD.
///
/// ```
/// let text = mcp_types::well_formed(r#"["\ud83d\ude00", "\ud83d"]"#);
/// assert_eq!(text, r#"["\ud83d\ude00", "\ufffd"]"#);
/// ```
#[must_use]
pub fn well_formed(json: &str) -> Cow<'_, str> {
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json
        .as_bytes()
        .get(at..)
        .and_then(|rest| memchr(b'\\', rest))
    {
        let escape = at + found;
        at = escape
            + match (code_unit(json, escape), code_unit(json, escape + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => {
                    replaced.push_str(&json[copied..escape]);
                    replaced.push_str("\\ufffd");
                    copied = escape + 6;
                    6
                }
                (Some(_), _) => 6,
                (None, _) => 2,
            };
    }
    match copied {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(replaced + &json[copied..]),
    }
}

/// Returns the UTF-16 code unit of the escape at `index`.
fn code_unit(json: &str, index: usize) -> Option<u16> {
    let digits = json.get(index..index + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (json, expected) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\uDC00\uD800x\\ud800""#, r#""\ufffd\ufffdx\\ud800""#),
            (r#""\ud800\n\udc00""#, r#""\ufffd\n\ufffd""#),
            (r#""é\uD83D\uDE00é\udbff""#, r#""é\uD83D\uDE00é\ufffd""#),
        ] {
            assert_eq!(well_formed(json), expected);
            assert!(may_be_alone(json));
        }
        for json in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\u00d8""#, "1"] {
            assert!(matches!(well_formed(json), Cow::Borrowed(_)), "{json}");
            assert!(!may_be_alone(json));
        }
    }
}
