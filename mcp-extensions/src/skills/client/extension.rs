//! The extension of a client, and its requests.

use mcp_runtime::client::{ClientExtension, ListRequest};
use mcp_runtime::types::{Conform, JsonObject, ListResourcesResult, RawJson, Resource};
use mcp_runtime::{Client, Revision};
use serde::{Deserialize, Serialize};

use super::SkillError;
use crate::skills::ID;
use crate::skills::types::{DIRECTORY, GET, LIST, is_offered};

/// The extension `io.modelcontextprotocol/skills` of a client.
///
/// Add it with [`ClientBuilder::extension`](mcp_runtime::ClientBuilder::extension). The client
/// declares the extension in 2025-11-25 and later. To read skills, call
/// [`ReadSkills::skills`](super::ReadSkills::skills).
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

/// Returns the settings with which the server offers the extension.
///
/// # Errors
///
/// [`SkillError::NotOffered`] as for [`ReadSkills::skills`](super::ReadSkills::skills).
pub(super) fn settings(client: &Client) -> Result<JsonObject, SkillError> {
    let offered = client.server_capabilities().extensions;
    let settings = offered.and_then(|offered| offered.get(ID).cloned());
    let not_offered = |reason: &str| SkillError::NotOffered(reason.to_owned());
    let settings = settings.ok_or_else(|| not_offered("the server does not offer skills"))?;
    if let Some(revision) = settings.get("revision") {
        let reason = format!("the server offers revision {revision} of skills, which is unknown");
        return Err(SkillError::NotOffered(reason));
    }
    let is_active = client.has_extension(ID);
    is_active
        .then_some(settings)
        .ok_or_else(|| not_offered(UNDECLARED))
}

const UNDECLARED: &str = "this client does not declare skills: add `.extension(Skills::client())` \
                          where it is built, and use revision 2025-11-25 or later";

/// A page of skills. An invalid entry would otherwise hide the others, so each is read separately.
#[derive(Serialize, Deserialize)]
pub(super) struct SkillPage {
    skills: Vec<RawJson>,
    #[serde(rename = "nextCursor", default)]
    next_cursor: Option<String>,
}

/// All revisions have the same pages.
impl Conform for SkillPage {
    fn conform(&mut self, _: Revision) {}
}

requests! {
    ID;
    ListSkills: LIST, JsonObject => SkillPage;
    GetSkill: GET, JsonObject => JsonObject;
    ReadDirectory: DIRECTORY, JsonObject => ListResourcesResult;
}

macro_rules! lists {
    ($($name:ident: $page:ident, $items:ident: $item:ty;)*) => {$(
        impl ListRequest for $name {
            type Item = $item;

            fn split(page: $page) -> (Vec<$item>, Option<String>) {
                (page.$items, page.next_cursor)
            }

            fn at(first: &JsonObject, cursor: String) -> JsonObject {
                let mut params = first.clone();
                params.insert("cursor".to_owned(), cursor.into());
                params
            }
        }
    )*};
}

lists! {
    ListSkills: SkillPage, skills: RawJson;
    ReadDirectory: ListResourcesResult, resources: Resource;
}
