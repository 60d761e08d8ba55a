//! Base64 as messages carry it: the standard alphabet, with padding (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 0x3f;
            text.push(match digit <= group.len() {
                true => char::from(ALPHABET[value as usize]),
                false => '=',
            });
        }
    }
    text
}

/// `None` if the text is not Base64. Bits that encode nothing must be zero, so that equal bytes
/// have one text.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = text.get(..text.len() - padding).filter(|_| padding <= 2)?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for index in 0..4 {
            let value = group.get(index).map_or(Some(0), |digit| value(*digit))?;
            bits = bits << 6 | value;
        }
        let [_, all @ ..] = bits.to_be_bytes();
        let (encoded, rest) = all.split_at(group.len() - 1);
        bytes.extend_from_slice(encoded);
        if rest.iter().any(|byte| *byte != 0) {
            return None;
        }
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold() {
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in examples {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn all_bytes_survive() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=256 {
            assert_eq!(decode(&encode(&bytes[..length])).unwrap(), bytes[..length]);
        }
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in [
            "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm-_", "Zg==Zg==",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
