//! The id of a session.

use std::fmt;
use std::str::FromStr;

/// The id of a session: 128 random bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(u128);

impl SessionId {
    /// Creates the id with these bits.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Creates a random id, which can't be guessed.
    ///
    /// # Errors
    ///
    /// When the operating system can't supply random bytes.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u128::from_ne_bytes(bytes)))
    }

    /// Returns a part of the id, for numbers that must differ between processes.
    pub(crate) fn low_bits(self) -> u64 {
        // The highest bit stays free, so the number can be incremented.
        (self.0 as u64) >> 1
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Returns the first id of the server's own requests in one session.
///
/// The id is random, to keep a process from mistaking the answer to a request of another process in
/// the same session for its own. The id is below 2^52, so that ids are exact in JavaScript.
///
/// # Errors
///
/// When the operating system can't supply random bytes.
pub(crate) fn first_request_id() -> Result<i64, getrandom::Error> {
    // JavaScript is exact up to 2^53, so half of the range is left to count up.
    const MASK: u64 = (1 << 52) - 1;
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok((u64::from_ne_bytes(bytes) & MASK) as i64)
}

/// Shortened, so that logs can't be used to take over a session.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({:08x}…)", self.0 >> 96)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        if text.len() != 32 {
            return Err(InvalidSessionId);
        }
        let mut bits = 0;
        for byte in text.bytes() {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return Err(InvalidSessionId),
            };
            bits = bits << 4 | u128::from(digit);
        }
        Ok(Self(bits))
    }
}

/// The error for a string that is not a session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session id has 32 hexadecimal digits")]
pub struct InvalidSessionId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_differ() {
        let id = SessionId::random().unwrap();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_ne!(SessionId::random().unwrap(), id);
        assert_eq!(SessionId::new(1).to_string().len(), 32);
    }

    #[test]
    fn only_what_was_given_out_is_a_name() {
        let upper = "0000000000000000000000000000000A";
        for text in ["", "1", "+0000000000000000000000000000001", upper] {
            assert!(text.parse::<SessionId>().is_err(), "{text}");
        }
        assert!(!format!("{:?}", SessionId::new(0xabc)).contains("abc"));
    }
}
