//! What strings with escapes say.

use super::bytes::plain;

/// Why a string says nothing.
pub(super) struct Unreadable {
    /// The place in the text up to which it has been read.
    pub(super) at: usize,
    /// In serde_json's words.
    pub(super) reason: &'static str,
}

/// What the string says of which `start` is behind the quotation mark, and the place behind all that
/// belongs to it: the other quotation mark, or where the text ends or is no string any more.
pub(super) fn unescape(text: &str, start: usize) -> Result<(String, usize), Unreadable> {
    let bytes = text.as_bytes();
    let mut said = String::new();
    let mut at = start;
    loop {
        let end = plain(bytes, at);
        // What has one escape has more.
        said.reserve(2 * (end - at) + 4);
        said.push_str(text.get(at..end).unwrap_or_default());
        if bytes.get(end) != Some(&b'\\') {
            return Ok((said, end));
        }
        let (letter, behind) = letter(text, end + 1)?;
        said.push(letter);
        at = behind;
    }
}

/// The letter that an escape means, and the place behind; `at` is behind its backslash.
fn letter(text: &str, at: usize) -> Result<(char, usize), Unreadable> {
    let letter = match text.as_bytes().get(at) {
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(itself @ (b'"' | b'\\' | b'/')) => char::from(*itself),
        Some(b'u') => return by_code(text, at + 1),
        _ => {
            let (at, reason) = (at + 1, "invalid escape");
            return Err(Unreadable { at, reason });
        }
    };
    Ok((letter, at + 1))
}

const LEADING: u32 = 0xd800;
const TRAILING: u32 = 0xdc00;

/// The letter whose code is there, or the two halves of its code.
fn by_code(text: &str, start: usize) -> Result<(char, usize), Unreadable> {
    let (first, at) = code(text, start)?;
    if let Some(letter) = char::from_u32(first) {
        return Ok((letter, at));
    }
    let lone = |at| {
        let reason = "lone leading surrogate in hex escape";
        Unreadable { at, reason }
    };
    if first >= TRAILING {
        return Err(lone(at));
    }
    let follows = text.as_bytes().get(at..).unwrap_or_default();
    if !follows.starts_with(b"\\u") {
        let at = at + 1 + usize::from(follows.starts_with(b"\\"));
        let reason = "unexpected end of hex escape";
        return Err(Unreadable { at, reason });
    }
    let (second, at) = code(text, at + 2)?;
    let low = second.checked_sub(TRAILING).ok_or_else(|| lone(at))?;
    let both = 0x1_0000 + ((first - LEADING) << 10) + low;
    let letter = char::from_u32(both).filter(|_| low < 0x400);
    letter.map(|letter| (letter, at)).ok_or_else(|| lone(at))
}

/// What four hexadecimal digits mean, and the place behind them.
fn code(text: &str, start: usize) -> Result<(u32, usize), Unreadable> {
    let at = start + 4;
    let digits = text.get(start..at).unwrap_or_default();
    match u32::from_str_radix(digits, 16) {
        Ok(code) if !digits.starts_with('+') => Ok((code, at)),
        _ => {
            let reason = "invalid escape";
            Err(Unreadable { at, reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::unescape;

    fn agrees(inner: &str) {
        let text = format!("\"{inner}\"");
        let found = unescape(&text, 1);
        match serde_json::from_str::<String>(&text) {
            Ok(said) => assert_eq!(found.ok(), Some((said, text.len() - 1)), "{inner}"),
            Err(refused) => {
                let fault = found.err().unwrap();
                let expected = format!("{} at line 1 column {}", fault.reason, fault.at);
                assert_eq!(refused.to_string(), expected, "{inner}");
            }
        }
    }

    proptest! {
        #[test]
        fn strings_say_what_serde_json_reads(
            inner in r#"(é|a|\\["\\/bfnrt]|\\u00[0-9a-f]{2}|\\u[dD][89a-fA-F][0-9a-f]{2}){0,6}"#
        ) {
            agrees(&inner);
        }
    }

    #[test]
    fn surrogates_come_in_pairs() {
        for inner in [
            r"\ud83d\ude00",
            r"\ud83d\ud83d",
            r"a\ud83d",
            r"\ud83d\n",
            r"\ud83dx",
            r"é\ude00",
            r"\ud83d\ue000",
            r"\ud83d\u0041",
        ] {
            agrees(inner);
        }
    }
}
