//! Everything that a server offers, in a form that is the same each time.

use mcp_runtime::types::{
    DiscoverRequest, Implementation, Prompt, RequestParams, Resource, ResourceTemplate,
    ServerCapabilities, Tool,
};
use mcp_runtime::{CallError, Client, Revision};
use serde::Serialize;

use crate::failure::Failure;
use crate::session::Session;

/// What a server offers: lists sorted by name or URI, without `_meta` and icons.
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

/// Lists by a method of the client, sorted by a member.
macro_rules! sorted {
    ($session:ident.$list:ident by $key:ident) => {{
        let mut list = $session.list($session.client.$list()).await?;
        list.sort_by(|a, b| a.$key.cmp(&b.$key));
        for it in &mut list {
            (it.meta, it.icons) = (None, None);
        }
        list
    }};
}

impl Snapshot {
    /// Asks the server for everything.
    ///
    /// # Errors
    ///
    /// Why it does not list what it has.
    pub(crate) async fn read(session: &Session) -> Result<Self, Failure> {
        let negotiated = session.client.negotiated();
        let unnamed = || Implementation::new("unnamed server", "");
        let mut server = negotiated.peer_info.clone().unwrap_or_else(unnamed);
        server.icons = None;
        Ok(Self {
            server,
            revision: negotiated.revision,
            revisions: session.result(revisions(&session.client)).await?,
            capabilities: negotiated.peer_capabilities.clone(),
            instructions: negotiated.instructions.clone(),
            tools: sorted!(session.list_tools by name),
            prompts: sorted!(session.list_prompts by name),
            resources: sorted!(session.list_resources by uri),
            resource_templates: sorted!(session.list_resource_templates by uri_template),
        })
    }
}

/// The revisions that the server names. A handshake settles on one, and names no other.
async fn revisions(client: &Client) -> Result<Vec<String>, CallError> {
    let discover = client.request::<DiscoverRequest>(RequestParams::new());
    match discover.await {
        Ok(discovered) => Ok(discovered.supported_versions),
        Err(CallError::Unavailable(_)) => Ok(vec![client.revision().as_str().to_owned()]),
        Err(error) => Err(error),
    }
}
