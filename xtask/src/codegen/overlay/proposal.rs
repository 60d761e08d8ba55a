//! Entries of `overlay.toml`, written for a person to paste.

use std::fmt::Write;

/// The text of an entry, member by member.
pub(crate) struct Proposal(String);

impl Proposal {
    /// An entry without members.
    pub(crate) fn of(kind: &str) -> Self {
        Self(format!("[[{kind}]]\n"))
    }

    /// Adds a member.
    pub(crate) fn with(mut self, key: &str, value: impl Into<toml::Value>) -> Self {
        let _ = writeln!(self.0, "{key} = {}", value.into());
        self
    }

    /// The text, with a reason that is still to be written.
    pub(crate) fn reason(self) -> String {
        self.with("reason", "").text()
    }

    /// The text as it is.
    pub(crate) fn text(self) -> String {
        self.0
    }
}

/// The text of an entry of strings, with a reason that is still to be written.
pub(crate) fn entry<const N: usize>(kind: &str, members: [(&str, &str); N]) -> String {
    let add = |entry: Proposal, (key, value): (&str, &str)| entry.with(key, value);
    members.into_iter().fold(Proposal::of(kind), add).reason()
}
