//! Proposed entries of `overlay.toml`, ready to paste.

use std::fmt::Write;

/// The text of an entry, member by member.
pub(crate) struct Proposal(String);

impl Proposal {
    pub(crate) fn of(kind: &str) -> Self {
        Self(format!("[[{kind}]]\n"))
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<toml::Value>) -> Self {
        let _ = writeln!(self.0, "{key} = {}", value.into());
        self
    }

    /// Returns the text with an empty reason, which the user has to write.
    pub(crate) fn reason(self) -> String {
        self.with("reason", "").text()
    }

    pub(crate) fn text(self) -> String {
        self.0
    }
}

/// Returns an entry whose members are strings, with an empty reason, which the user has to write.
pub(crate) fn entry<const N: usize>(kind: &str, members: [(&str, &str); N]) -> String {
    let add = |entry: Proposal, (key, value): (&str, &str)| entry.with(key, value);
    members.into_iter().fold(Proposal::of(kind), add).reason()
}
