//! Web pages that users are sent to.

use mcp_types::ElicitRequestUrlParams;

use super::ElicitReply;

/// A web page that a server wants the user to open, for what the client must not see (2026-07-28,
/// "Elicitation", section URL Mode Elicitation Requests).
///
/// Whoever shows it says which server asks, shows the whole address, and opens it in a browser only
/// if the user agrees; the client itself never fetches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    params: ElicitRequestUrlParams,
}

impl Page {
    pub(super) fn new(params: ElicitRequestUrlParams) -> Self {
        Self { params }
    }

    /// Why the user should go there, in words for the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.params.message
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.params.url
    }

    /// The id under which the server says that the user is done there, by
    /// `notifications/elicitation/complete` (2025-11-25).
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.params.elicitation_id.as_deref()
    }

    /// The user agrees, and the page was opened. Whether it leads to anything is between the user
    /// and the server.
    pub fn accept(&self) -> ElicitReply {
        ElicitReply::accept()
    }

    /// The user says no.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// The user dismisses the question without saying anything.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}
