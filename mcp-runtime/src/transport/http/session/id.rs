//! The names of sessions.

use std::fmt;
use std::str::FromStr;

/// The name of a session: 128 random bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(u128);

impl SessionId {
    /// The session of this number.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// A name that nobody can guess.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(in crate::transport::http) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u128::from_ne_bytes(bytes)))
    }
}

impl SessionId {
    /// A part of the name, for what has to be different from what another process has.
    pub(in crate::transport::http) fn low_bits(self) -> u64 {
        // Leaves room to count on.
        (self.0 as u64) >> 1
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Where the ids of the server's own requests begin in one session: at random, so that the answer to
/// a request of another process that serves the same session is not taken for the answer to one of
/// this process. A double holds them exactly, as JavaScript needs it.
///
/// # Errors
///
/// When the operating system has no randomness to give.
pub(in crate::transport::http) fn first_request_id() -> Result<i64, getrandom::Error> {
    // Half of what is below 2^53 is left to count on.
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
        let plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(plain) {
            return Err(InvalidSessionId);
        }
        let bits = u128::from_str_radix(text, 16).map_err(|_| InvalidSessionId)?;
        Ok(Self(bits))
    }
}

/// A text that no session of this server is called by.
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
