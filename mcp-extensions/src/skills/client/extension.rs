//! The extension of a client, and where reading skills begins.

use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{Client, Revision};

use super::{ServerSkills, SkillError};
use crate::skills::ID;
use crate::skills::types::is_offered;

/// The extension `io.modelcontextprotocol/skills` of a client.
///
/// Add it with [`ClientBuilder::extension`](mcp_runtime::ClientBuilder::extension). The client
/// declares the extension in 2025-11-25 and later. To read skills, call [`ReadSkills::skills`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SkillsClient;

impl SkillsClient {
    /// Creates the extension.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl ClientExtension for SkillsClient {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        is_offered(revision).then(JsonObject::new)
    }
}

/// Extends [`Client`] to read the skills of its server.
pub trait ReadSkills {
    /// Returns the skills of the server. Nothing is requested yet.
    ///
    /// `label` is the name that the host gives the server, not the name that the server reports. It
    /// is one half of the identity of each skill (Skill URIs).
    ///
    /// # Errors
    ///
    /// [`SkillError::NotOffered`] if the server does not offer skills, if this client does not
    /// declare [`SkillsClient`], or if the server offers a revision of the extension that is not
    /// known (`revision` in its settings, SEP-3392).
    fn skills(&self, label: &str) -> Result<ServerSkills, SkillError>;
}

impl ReadSkills for Client {
    fn skills(&self, label: &str) -> Result<ServerSkills, SkillError> {
        settings(self)?;
        Ok(ServerSkills::new(self.clone(), label))
    }
}

/// Returns the settings with which the server offers the extension.
///
/// # Errors
///
/// [`SkillError::NotOffered`] as for [`ReadSkills::skills`].
pub(super) fn settings(client: &Client) -> Result<JsonObject, SkillError> {
    let offered = client.server_capabilities().extensions;
    let settings = offered.and_then(|offered| offered.get(ID).cloned());
    let reason = match settings {
        None => "it does not offer skills (`io.modelcontextprotocol/skills`)".to_owned(),
        Some(settings) => match settings.get("revision") {
            Some(revision) => format!("it offers revision {revision} of skills, which is unknown"),
            None if client.has_extension(ID) => return Ok(settings),
            None => "this client does not declare skills: add `.extension(SkillsClient::new())` \
                     where it is built, and use revision 2025-11-25 or later"
                .to_owned(),
        },
    };
    Err(SkillError::NotOffered(reason))
}
