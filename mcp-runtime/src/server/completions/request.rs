//! What a completer gets to know.

use mcp_types::{CompleteRequestParams, OrderedMap};

/// A value while somebody types it.
///
/// ```
/// use mcp_runtime::CompletionRequest;
///
/// fn authors(request: &CompletionRequest) -> Vec<&'static str> {
///     let all = ["Austen", "Atwood", "Brontë"];
///     all.into_iter().filter(|name| name.starts_with(request.value())).collect()
/// }
/// # let _ = authors;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionRequest {
    value: String,
    others: OrderedMap<String>,
}

impl CompletionRequest {
    /// What has been typed so far; may be empty.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The value of another argument, where it has been settled already.
    ///
    /// Clients of revisions before 2025-06-18 never say.
    #[must_use]
    pub fn other(&self, argument: &str) -> Option<&str> {
        self.others.get(argument).map(String::as_str)
    }
}

impl From<CompleteRequestParams> for CompletionRequest {
    fn from(params: CompleteRequestParams) -> Self {
        let others = params.context.and_then(|context| context.arguments);
        Self {
            value: params.argument.value,
            others: others.unwrap_or_default(),
        }
    }
}
