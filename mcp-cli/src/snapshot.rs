//! Everything that a server offers.

use mcp_extensions::tasks::TASK_SUPPORT;
use mcp_runtime::types::{
    DiscoverRequest, Implementation, JsonObject, Prompt, RequestParams, Resource, ResourceTemplate,
    ServerCapabilities, Tool,
};
use mcp_runtime::{Client, Revision};
use serde::Serialize;

use crate::failure::{Failure, Kind};
use crate::output::note;
use crate::session::Session;

/// The lists of a server, in its order, without icons. The only member of `_meta` that is
/// kept says whether calls of a tool become tasks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Snapshot {
    pub(crate) server: Implementation,
    pub(crate) revision: Revision,
    pub(crate) revisions: Vec<String>,
    pub(crate) capabilities: ServerCapabilities,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) resource_templates: Vec<ResourceTemplate>,
}

/// Calls a list method of the client. If the call fails, the failure is kept, and the list is empty.
macro_rules! listed {
    ($session:ident.$list:ident, $failures:ident) => {{
        let mut list = match $session.list($session.client.$list()).await {
            Err(failure) if failure.kind == Kind::Cancelled => return Err(failure),
            Err(failure) => {
                $failures.push(failure);
                Vec::new()
            }
            Ok(list) => list,
        };
        for it in &mut list {
            it.meta = it.meta.take().and_then(task_support);
            it.icons = None;
        }
        list
    }};
}

/// Keeps only the member that says whether calls of the tool become tasks.
fn task_support(mut meta: JsonObject) -> Option<JsonObject> {
    let support = meta.remove_entry(TASK_SUPPORT)?;
    Some(JsonObject::from_iter([support]))
}

impl Snapshot {
    /// Requests everything from the server. A list that can't be read is left out, with a note.
    ///
    /// # Errors
    ///
    /// Fails if a list can't be read, and all other lists are empty.
    pub(crate) async fn read(session: &Session) -> Result<Self, Failure> {
        let negotiated = session.client.negotiated();
        let unnamed = || Implementation::new("unnamed server", "");
        let mut server = negotiated.peer_info.clone().unwrap_or_else(unnamed);
        server.icons = None;
        let mut failures = Vec::new();
        let snapshot = Self {
            server,
            revision: negotiated.revision,
            revisions: revisions(&session.client).await,
            capabilities: negotiated.peer_capabilities.clone(),
            instructions: negotiated.instructions.clone(),
            tools: listed!(session.list_tools, failures),
            prompts: listed!(session.list_prompts, failures),
            resources: listed!(session.list_resources, failures),
            resource_templates: listed!(session.list_resource_templates, failures),
        };
        let Self {
            tools,
            prompts,
            resources,
            ..
        } = &snapshot;
        let is_empty = tools.is_empty() && prompts.is_empty() && resources.is_empty();
        if is_empty && snapshot.resource_templates.is_empty() && !failures.is_empty() {
            return Err(failures.remove(0));
        }
        for failure in failures {
            note(&format!("a list is missing: {}", failure.message));
        }
        Ok(snapshot)
    }

    /// Sorts the lists by name or URI, to be reproducible.
    pub(crate) fn sorted(mut self) -> Self {
        self.tools.sort_by(|a, b| a.name.cmp(&b.name));
        self.prompts.sort_by(|a, b| a.name.cmp(&b.name));
        self.resources.sort_by(|a, b| a.uri.cmp(&b.uri));
        let templates = &mut self.resource_templates;
        templates.sort_by(|a, b| a.uri_template.cmp(&b.uri_template));
        self
    }
}

/// The revisions that the server names. In a handshake, it names only the one that was chosen.
async fn revisions(client: &Client) -> Vec<String> {
    let discover = client.request::<DiscoverRequest>(RequestParams::new());
    match discover.await {
        Ok(discovered) => discovered.supported_versions,
        Err(_) => vec![client.revision().as_str().to_owned()],
    }
}
