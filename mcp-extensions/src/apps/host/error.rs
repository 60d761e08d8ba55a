//! The errors of a host.

use mcp_runtime::CallError;

/// The reason why a page can't be shown, or why it may not call a tool.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The client does not declare the extension. Nothing was requested.
    #[error("this client does not declare apps: add `.extension(Apps::host())` where it is built")]
    NotDeclared,
    /// The tool has no page. Nothing was requested.
    #[error("the tool `{0}` has no page")]
    NoPage(String),
    /// The server describes the page wrongly, so it must not be shown. This is the server's fault.
    #[error("the page `{uri}` can't be shown: {reason}")]
    Invalid {
        /// The URI of the page.
        uri: String,
        /// The rule that the server breaks.
        reason: String,
    },
    /// A page may not call the tool, because the server has no such tool, or because its visibility does
    /// not include apps. Nothing was called.
    #[error("the page may not call `{0}`: its server has no tool for apps with this name")]
    NotForApp(String),
    /// A request failed.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl AppError {
    pub(super) fn invalid(uri: &str, reason: impl Into<String>) -> Self {
        let (uri, reason) = (uri.to_owned(), reason.into());
        Self::Invalid { uri, reason }
    }
}
