//! Bytes looked at several at a time.

/// Each byte of a word.
const EACH: u64 = u64::MAX / 0xff;
/// The highest bit of each byte of a word.
const HIGHEST: u64 = EACH << 7;

/// The first place at or behind `start` of what a JSON string can't hold as it is: a quotation
/// mark, a backslash or a control character. The length, if there is none.
#[inline(always)]
pub(super) fn plain(bytes: &[u8], start: usize) -> usize {
    // Most strings end within two words.
    match short_plain(bytes, start) {
        Some(end) => end,
        None => behind_plain_words(bytes, start),
    }
}

/// [`plain`] of what is found within two words.
#[inline(always)]
pub(super) fn short_plain(bytes: &[u8], start: usize) -> Option<usize> {
    let found = word(bytes, start).map(special)?;
    if found != 0 {
        return Some(start + first(found));
    }
    let found = word(bytes, start + 8).map(special)?;
    (found != 0).then(|| start + 8 + first(found))
}

/// [`plain`] where the first two words are plain, or are not there.
#[inline(never)]
fn behind_plain_words(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    if word(bytes, start + 8).is_some() {
        at += 16;
    }
    while let Some(word) = word(bytes, at) {
        let special = special(word);
        if special != 0 {
            return at + first(special);
        }
        at += 8;
        // What has not ended by now is often long.
        if at == start + 32 {
            at = behind_plain_blocks(bytes, at);
        }
    }
    plain_tail(bytes, start)
}

/// The eight bytes at that place.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// How many bytes come before the first special one.
#[inline(always)]
fn first(special: u64) -> usize {
    special.trailing_zeros() as usize / 8
}

/// Whether a JSON string can hold all the bytes as they are.
#[inline(always)]
pub(super) fn are_plain(bytes: &[u8]) -> bool {
    if bytes.len() >= 32 {
        return is_long_plain(bytes);
    }
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

/// [`are_plain`] for at least a block, in vector instructions.
#[inline(never)]
fn is_long_plain(bytes: &[u8]) -> bool {
    let mut found = [0_u8; 16];
    let (blocks, _) = bytes.as_chunks::<16>();
    // One loop, so that its body is compiled into it.
    for block in blocks.iter().chain(bytes.last_chunk()) {
        for (found, byte) in found.iter_mut().zip(block) {
            *found |= u8::from(!is_plain(*byte));
        }
    }
    u128::from_ne_bytes(found) == 0
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
#[inline(never)]
fn plain_tail(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    match rest.last_chunk::<8>() {
        Some(last) => {
            let special = special(u64::from_le_bytes(*last));
            bytes.len() - 8 + first(special)
        }
        None => start + rest.iter().take_while(|byte| is_plain(**byte)).count(),
    }
}

/// The highest bit of each byte that is special, and perhaps of some that follow one.
///
/// Subtraction borrows into the highest bit of a byte that is less; a byte that had it set before
/// is not ASCII, and so is plain.
#[inline(always)]
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
    // Text without a control character has none: the least byte says so, which takes one
    // instruction for sixteen bytes.
    let least = least_in_blocks::<128>(bytes).or_else(|| least_in_blocks::<16>(bytes));
    least.is_none_or(|least| least < 0x20)
        && bytes.iter().any(|byte| matches!(*byte, b'\n' | b'\r'))
}

/// The least byte, if there are enough for a block.
#[inline(always)]
fn least_in_blocks<const N: usize>(bytes: &[u8]) -> Option<u8> {
    let last = bytes.last_chunk::<N>()?;
    let (blocks, _) = bytes.as_chunks::<N>();
    let least = |block: &[u8; N]| block.iter().fold(u8::MAX, |least, byte| least.min(*byte));
    // What is looked at twice does no harm.
    Some(blocks.iter().map(least).fold(least(last), u8::min))
}

/// Whether two short texts are the same.
///
/// Most names are looked at in two words, where they begin and where they end: that takes a third of
/// the instructions of a call that can compare texts of any length.
#[inline]
pub(super) fn are_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && match one.len() {
            4..=8 => have_equal_ends::<4>(one, other),
            9..=16 => have_equal_ends::<8>(one, other),
            _ => one == other,
        }
}

#[inline(always)]
fn have_equal_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    one.first_chunk::<N>() == other.first_chunk() && one.last_chunk::<N>() == other.last_chunk()
}

/// Whether a name that begins with `_` may be among the bytes: one that is escaped begins otherwise.
#[inline]
pub(crate) fn may_have_underscore(bytes: &[u8]) -> bool {
    let wanted = |byte: u8| matches!(byte, b'_' | b'\\');
    // Without a branch inside a block, the compiler makes vector instructions of it.
    let any = |block: &[u8; 32]| {
        let found = block
            .iter()
            .fold(0, |found, byte| found | u8::from(wanted(*byte)));
        found != 0
    };
    let (blocks, _) = bytes.as_chunks::<32>();
    match bytes.last_chunk::<32>() {
        // What is looked at twice does no harm.
        Some(last) => blocks.iter().any(any) || any(last),
        None => bytes.iter().any(|byte| wanted(*byte)),
    }
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
        for length in 0..300 {
            let mut bytes = vec![b' '; length];
            bytes.push(b'\t');
            assert!(!has_line_break(&bytes));
            bytes.push(b'\r');
            bytes.extend([b' '; 40]);
            assert!(has_line_break(&bytes), "after {length}");
        }
    }

    #[test]
    fn underscores_are_found_wherever_they_are() {
        for length in 0..70 {
            let mut bytes = vec![b'a'; length];
            assert!(!may_have_underscore(&bytes));
            bytes.push(b'_');
            assert!(may_have_underscore(&bytes), "at {length}");
            bytes.extend([b'a'; 40]);
            assert!(
                may_have_underscore(&bytes),
                "in front of the end, at {length}"
            );
        }
        assert!(may_have_underscore(br"\u005f"));
    }

    #[test]
    fn texts_are_equal_when_each_byte_is() {
        for length in 0..24 {
            let one: Vec<u8> = (0..length).collect();
            assert!(are_equal(&one, &one));
            assert!(!are_equal(&one, &[&one[..], b"x"].concat()));
            for place in 0..one.len() {
                let mut other = one.clone();
                other[place] ^= 0x80;
                assert!(!are_equal(&one, &other), "{length} {place}");
            }
        }
    }
}
