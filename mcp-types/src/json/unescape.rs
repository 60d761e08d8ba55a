//! What strings with escapes say.

use super::bytes::plain;

/// Why a string says nothing: it has half of a surrogate pair.
pub(super) struct LoneSurrogate {
    /// How much of the string has been read.
    pub(super) at: usize,
    /// In serde_json's words.
    pub(super) reason: &'static str,
}

/// What the text between the quotation marks of a string says; its escapes are known to be such.
pub(super) fn unescape(inner: &str) -> Result<String, LoneSurrogate> {
    let mut said = String::with_capacity(inner.len());
    let mut at = 0;
    loop {
        let end = plain(inner.as_bytes(), at);
        said.push_str(inner.get(at..end).unwrap_or_default());
        let Some((_, escape)) = inner.split_at_checked(end + 1) else {
            return Ok(said);
        };
        let (letter, length) = letter(escape).map_err(|LoneSurrogate { at, reason }| {
            let at = end + 1 + at;
            LoneSurrogate { at, reason }
        })?;
        said.push(letter);
        at = end + 1 + length;
    }
}

/// The letter that an escape means, and the length of the escape without its first backslash.
fn letter(escape: &str) -> Result<(char, usize), LoneSurrogate> {
    let letter = match escape.as_bytes().first() {
        Some(b'u') => return by_code(escape),
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        itself => char::from(itself.copied().unwrap_or_default()),
    };
    Ok((letter, 1))
}

const LEADING: u32 = 0xd800;
const TRAILING: u32 = 0xdc00;

fn by_code(escape: &str) -> Result<(char, usize), LoneSurrogate> {
    let first = code(escape);
    if let Some(letter) = char::from_u32(first) {
        return Ok((letter, 5));
    }
    let lone = |at| LoneSurrogate {
        at,
        reason: "lone leading surrogate in hex escape",
    };
    let half = |at| LoneSurrogate {
        at,
        reason: "unexpected end of hex escape",
    };
    if first >= TRAILING {
        return Err(lone(5));
    }
    let second = match escape.as_bytes().get(5..7) {
        Some(b"\\u") => code(&escape[6..]),
        Some([b'\\', _]) => return Err(half(7)),
        _ => return Err(half(6)),
    };
    let low = second.checked_sub(TRAILING).ok_or_else(|| lone(11))?;
    let both = 0x1_0000 + ((first - LEADING) << 10) + low;
    let letter = char::from_u32(both).filter(|_| low < 0x400);
    letter.map(|letter| (letter, 11)).ok_or_else(|| lone(11))
}

/// The four digits behind a `u`.
fn code(escape: &str) -> u32 {
    let digits = escape.get(1..5).unwrap_or_default();
    u32::from_str_radix(digits, 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::unescape;

    fn agrees(inner: &str) {
        let found = unescape(inner);
        match serde_json::from_str::<String>(&format!("\"{inner}\"")) {
            Ok(said) => assert_eq!(found.ok(), Some(said), "{inner}"),
            Err(refused) => {
                let fault = found.err().unwrap();
                // serde_json counts the quotation mark, too.
                let expected = format!("{} at line 1 column {}", fault.reason, fault.at + 1);
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
