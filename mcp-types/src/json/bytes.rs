//! Bytes looked at several at a time.

/// Each byte of a word.
const EACH: u64 = u64::MAX / 0xff;
/// The highest bit of each byte of a word.
const HIGHEST: u64 = EACH << 7;

/// The first place at or behind `at` of what a JSON string can't hold as it is: a quotation mark,
/// a backslash or a control character. The length, if there is none.
#[inline(always)]
pub(super) fn plain(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(word) = bytes.get(at..at + 8).and_then(<[u8]>::first_chunk) {
        let special = special(u64::from_le_bytes(*word));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
        // Most strings have ended by now; those that have not are often long.
        if at == start + 64 {
            at = behind_plain_blocks(bytes, at);
        }
    }
    plain_tail(bytes, start)
}

/// Whether a JSON string can hold all the bytes as they are.
#[inline]
pub(super) fn are_plain(bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
        return bytes.iter().all(|byte| is_plain(*byte));
    };
    // What is looked at twice does no harm.
    let ends = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    let mut found = special(ends);
    if bytes.len() > 8 {
        let (words, _) = bytes.as_chunks::<8>();
        let rest = bytes.last_chunk::<8>().into_iter();
        let all = words.iter().chain(rest);
        found |= all.fold(0, |found, word| found | special(u64::from_le_bytes(*word)));
    }
    found == 0
}

/// Behind as many blocks as are plain.
#[inline(never)]
fn behind_plain_blocks(bytes: &[u8], start: usize) -> usize {
    let (blocks, _) = bytes.get(start..).unwrap_or_default().as_chunks::<32>();
    // Without a branch inside a block, the compiler makes vector instructions of it.
    let all_plain = |block: &&[u8; 32]| {
        let special = block
            .iter()
            .fold(0, |found, byte| found | u8::from(!is_plain(*byte)));
        special == 0
    };
    start + 32 * blocks.iter().take_while(all_plain).count()
}

/// [`plain`] where all is known to be plain but for the last seven bytes.
#[inline]
fn plain_tail(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    match rest.last_chunk::<8>() {
        Some(last) => {
            let special = special(u64::from_le_bytes(*last));
            bytes.len() - 8 + special.trailing_zeros() as usize / 8
        }
        None => start + rest.iter().take_while(|byte| is_plain(**byte)).count(),
    }
}

/// The highest bit of each byte that is special, and perhaps of some that follow one.
///
/// Subtraction borrows into the highest bit of a byte that is less; a byte that had it set before
/// is not ASCII, and so is plain.
#[inline]
fn special(word: u64) -> u64 {
    let control = word.wrapping_sub(EACH * 0x20);
    let quote = (word ^ (EACH * u64::from(b'"'))).wrapping_sub(EACH);
    let backslash = (word ^ (EACH * u64::from(b'\\'))).wrapping_sub(EACH);
    (control | quote | backslash) & !word & HIGHEST
}

fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Whether there is a line break among the bytes.
pub(super) fn has_line_break(bytes: &[u8]) -> bool {
    let is_break = |byte: &u8| matches!(*byte, b'\n' | b'\r');
    let (blocks, rest) = bytes.as_chunks::<32>();
    let any = |block: &[u8; 32]| {
        let found = block
            .iter()
            .fold(0, |found, byte| found | u8::from(is_break(byte)));
        found != 0
    };
    blocks.iter().any(any) || rest.iter().any(is_break)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_is() {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for length in 0..100 {
                let mut bytes = vec![b'a'; length];
                assert_eq!(plain(&bytes, 0), length);
                assert!(are_plain(&bytes));
                bytes.push(special);
                assert!(!are_plain(&bytes), "{special} after {length}");
                bytes.extend([b'"', 0xc3, 0xa9, 0]);
                assert_eq!(plain(&bytes, 0), length, "{special} after {length}");
            }
        }
    }

    #[test]
    fn all_other_bytes_are_plain() {
        for byte in 0x20..=0xff {
            let expected = if matches!(byte, b'"' | b'\\') { 0 } else { 75 };
            assert_eq!(plain(&[byte; 75], 0), expected, "{byte}");
        }
    }

    #[test]
    fn line_breaks_are_found_wherever_they_are() {
        for length in 0..70 {
            let mut bytes = vec![b' '; length];
            assert!(!has_line_break(&bytes));
            bytes.push(b'\r');
            bytes.extend([b' '; 40]);
            assert!(has_line_break(&bytes), "after {length}");
        }
    }
}
