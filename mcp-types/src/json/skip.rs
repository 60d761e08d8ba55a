//! From where something begins in JSON text to behind its end.
//!
//! Functions of bytes and a place in them, which keeps both in registers; `None` means that the
//! text is not valid.

pub(super) use super::bytes::{plain, short_plain};
use super::nesting::{Container, Nesting};

/// Behind white space.
#[inline(always)]
pub(super) fn space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Behind a string; `at` is behind its first quotation mark.
#[inline(always)]
pub(super) fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let end = plain(bytes, at);
    if bytes.get(end) == Some(&b'"') {
        Some(end + 1)
    } else {
        escaped(bytes, end)
    }
}

/// Behind a string whose first escape is at that place.
#[inline(never)]
pub(super) fn escaped(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => plain(bytes, escape(bytes, at)?),
            _ => return None,
        }
    }
}

/// Behind an escape.
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' => {
            let digits = bytes.get(at + 2..at + 6)?;
            let hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
            hexadecimal.then_some(at + 6)
        }
        _ => None,
    }
}

/// Behind a value in which arrays and objects nest up to `limit` levels.
pub(super) fn value(bytes: &[u8], mut at: usize, limit: usize) -> Option<usize> {
    let mut nesting = Nesting::default();
    loop {
        at = match bytes.get(at)? {
            b'"' => string(bytes, at + 1)?,
            bracket @ (b'{' | b'[') => {
                if nesting.depth() == limit {
                    return None;
                }
                let container = Container::of(*bracket);
                let first = space(bytes, at + 1);
                if bytes.get(first) == Some(&container.end()) {
                    first + 1
                } else {
                    nesting.open(container);
                    at = before_value(bytes, first, container)?;
                    continue;
                }
            }
            _ => scalar(bytes, at)?,
        };
        loop {
            let Some(container) = nesting.innermost() else {
                return Some(at);
            };
            at = space(bytes, at);
            let byte = *bytes.get(at)?;
            if byte == b',' {
                at = before_value(bytes, space(bytes, at + 1), container)?;
                break;
            }
            if byte != container.end() {
                return None;
            }
            at += 1;
            nesting.close();
        }
    }
}

/// [`value`] in text that is known to be valid: only brackets and strings are looked at.
pub(super) fn valid_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        at = match bytes.get(at)? {
            b'"' => string(bytes, at + 1)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            _ if depth != 0 => {
                at += 1;
                continue;
            }
            _ => scalar(bytes, at)?,
        };
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Behind the name that goes before a value in that container.
#[inline(always)]
fn before_value(bytes: &[u8], at: usize, container: Container) -> Option<usize> {
    if container == Container::Array {
        return Some(at);
    }
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let colon = space(bytes, string(bytes, at + 1)?);
    (bytes.get(colon) == Some(&b':')).then(|| space(bytes, colon + 1))
}

/// Behind a number or a word.
#[inline]
pub(super) fn scalar(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'-' => number(bytes, at + 1),
        b'0'..=b'9' => number(bytes, at),
        b't' => word(bytes, at, b"true"),
        b'f' => word(bytes, at, b"false"),
        b'n' => word(bytes, at, b"null"),
        _ => None,
    }
}

/// Behind that word.
pub(super) fn word(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    let found = bytes.get(at..).is_some_and(|rest| rest.starts_with(word));
    found.then_some(at + word.len())
}

/// Behind a number without its sign.
#[inline]
fn number(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = digits(bytes, start)?;
    if bytes.get(start) == Some(&b'0') && at > start + 1 {
        return None;
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    Some(at)
}

/// Behind one digit or more.
#[inline]
fn digits(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    (at > start).then_some(at)
}
