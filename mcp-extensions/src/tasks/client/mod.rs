//! Placeholder until the branch of the client is merged.
use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{Era, Revision};

/// The extension of a client.
#[derive(Debug, Default)]
pub struct TasksClient;
impl TasksClient {
    /// New.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}
impl ClientExtension for TasksClient {
    fn id(&self) -> &'static str {
        crate::tasks::ID
    }
    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        (revision.era() == Era::Stateless).then(JsonObject::new)
    }
}
