//! Calls that servers refuse until the user has been to a web page.

use mcp_types::{ElicitRequestUrlParams, UrlElicitationRequiredErrorData, error_codes};

use crate::error::CallError;

impl CallError {
    /// The web pages that the user has to visit before the call can succeed (2025-11-25,
    /// "Elicitation", section URL Elicitation Required Error); `None` for all other errors, and for
    /// one that does not say which pages: its details can't be read, and are in
    /// [`ErrorObject::data`](mcp_types::ErrorObject::data).
    ///
    /// The call may be made again once the user is done.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitRequestUrlParams>> {
        let Self::Rpc(error) = self else { return None };
        if error.code != error_codes::URL_ELICITATION_REQUIRED {
            return None;
        }
        let data: UrlElicitationRequiredErrorData = error.data.as_ref()?.parse().ok()?;
        Some(data.elicitations)
    }
}
