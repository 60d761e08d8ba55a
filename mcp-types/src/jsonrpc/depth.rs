//! The check of the nesting limit, which does not parse the message.

/// Returns true if arrays and objects in `json` nest deeper than `limit`.
///
/// Counting the opening brackets is cheap. Only if there are more than `limit`, the text is read
/// character by character.
pub(super) fn exceeds(json: &[u8], limit: usize) -> bool {
    opening_brackets(json) > limit && deepest(json) > limit
}

fn opening_brackets(json: &[u8]) -> usize {
    // `[` and `{` differ in one bit. One-byte counters let the compiler vectorize the loop.
    json.chunks(255)
        .map(|chunk| {
            let count = chunk
                .iter()
                .fold(0_u8, |n, b| n + u8::from(b | 0x20 == b'{'));
            usize::from(count)
        })
        .sum()
}

fn deepest(json: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    let mut in_string = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_counts_and_length_does_not() {
        assert!(!exceeds(b"[[[]]]", 3));
        assert!(exceeds(b"[[[{}]]]", 3));
        assert!(!exceeds("[],".repeat(1000).as_bytes(), 3));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(!exceeds(br#"["[[[[[[\"[[[["]"#, 3));
        assert!(exceeds(br#"["\\",[[[[[]]]]]]"#, 3));
    }
}
