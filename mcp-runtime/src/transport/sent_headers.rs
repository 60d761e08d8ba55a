//! What a client says of itself in headers.

use std::fmt;

/// Headers that a client sends. Most of them are credentials: what is logged shows their names alone.
#[derive(Clone, Default)]
pub(super) struct SentHeaders(Vec<(String, String)>);

impl SentHeaders {
    pub(super) fn add(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for SentHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}
