//! The errors of reading skills.

use mcp_runtime::CallError;

/// The reason why a skill can't be read. No bytes of the skill are handed out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// The extension is not active on the connection. Nothing was requested.
    #[error("skills can't be read from this server: {0}")]
    NotOffered(String),
    /// The entry of a skill, or a list of the server, breaks the rules of the specification. This is
    /// the server's fault.
    #[error("the server describes `{uri}` wrongly: {reason}")]
    Invalid {
        /// The URI of the skill or the directory.
        uri: String,
        /// The rule that is broken.
        reason: String,
    },
    /// The contents are not those that the entry describes: the skill was changed after the entry was
    /// fetched, or the contents are corrupted or forged (Verification on Read).
    ///
    /// To use the skill, get the entry again with [`get`](super::ServerSkills::get). An approval of
    /// the old entry does not cover the new one.
    #[error(
        "`{uri}` is not what the skill's entry describes: {difference}. The skill was changed or is \
         damaged: get its entry again, and let the user approve it again."
    )]
    Changed {
        /// The URI of the file.
        uri: String,
        /// The difference between the contents and the entry.
        difference: String,
    },
    /// The file or directory may not be read. Nothing was requested, except if dynamic contents are
    /// too long.
    #[error("`{uri}` may not be read: {reason}")]
    Refused {
        /// The URI or the relative reference.
        uri: String,
        /// The reason.
        reason: String,
    },
    /// A request failed. If a listed file is not found, the skill was changed.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl SkillError {
    pub(super) fn invalid(uri: &str, reason: impl Into<String>) -> Self {
        let (uri, reason) = (uri.to_owned(), reason.into());
        Self::Invalid { uri, reason }
    }

    pub(super) fn changed(uri: &str, difference: impl Into<String>) -> Self {
        let (uri, difference) = (uri.to_owned(), difference.into());
        Self::Changed { uri, difference }
    }

    pub(super) fn refused(uri: &str, reason: impl Into<String>) -> Self {
        let (uri, reason) = (uri.to_owned(), reason.into());
        Self::Refused { uri, reason }
    }
}
