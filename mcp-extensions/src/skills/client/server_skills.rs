//! The skills of one server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_runtime::client::{ListRequest, Pages};
use mcp_runtime::types::Resource;
use mcp_runtime::{CallError, Client};

use super::contents::Cache;
use super::extension::settings;
use super::manifest::Manifest;
use super::requests::{GetSkill, ListSkills, ReadDirectory};
use super::{OpenSkill, SkillContents, SkillError, SkillListing, file_uri};
use crate::skills::types::{DIRECTORY_READ, UriParams};
use crate::skills::{SkillEntry, SkillFile, uri};

/// The skills of one server. Created by [`ReadSkills::skills`](super::ReadSkills::skills).
///
/// Nothing is requested before it is needed: listing reads no file, and opening a skill reads only
/// its `SKILL.md` (Lazy Retrieval). Clones share a cache in memory of verified files, which has at
/// most 1,024 files and 32 MiB. It ends with the last clone.
///
/// ```no_run
/// # async fn example(server: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_extensions::skills::{ReadSkills, SkillsClient};
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::http_client;
///
/// let client = Client::builder("host", "1.0.0").extension(SkillsClient::new());
/// let client = client.connect(http_client("https://example.com/mcp")).await?;
/// let skills = client.skills("docs")?;
/// let listing = skills.list().await?;
/// for skill in &listing.skills {
///     println!("{} from {}: {}", skill.name(), skills.label(), skill.description());
/// }
/// // Show the skill to the user, and continue if the user approves it.
/// if let Some(entry) = listing.by_name("pdf-processing").first() {
///     let skill = skills.open(entry).await?;
///     println!("{:?}", skill.instructions().text());
///     let forms = skill.read("references/FORMS.md").await?;
///     println!("{:?}", forms.text());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServerSkills {
    client: Client,
    label: Arc<str>,
    cache: Arc<Mutex<Cache>>,
}

impl ServerSkills {
    pub(super) fn new(client: Client, label: &str) -> Self {
        Self {
            client,
            label: label.into(),
            cache: Arc::default(),
        }
    }

    /// Returns the label that the host gives the server.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Lists the skills (Listing Skills). Fetches all pages, and reads no file.
    ///
    /// Each entry is checked separately, so a wrong one does not hide the others.
    ///
    /// # Errors
    ///
    /// [`SkillError::Call`] if a page can't be fetched, if the server repeats a cursor, or if the list
    /// exceeds [`max_pages`](mcp_runtime::ClientBuilder::max_pages) or
    /// [`max_list_bytes`](mcp_runtime::ClientBuilder::max_list_bytes).
    pub async fn list(&self) -> Result<SkillListing, SkillError> {
        let entries = all(self.client.pages::<ListSkills>()).await?;
        Ok(SkillListing::of(&entries))
    }

    /// Gets the current entry of a skill by the URI of its `SKILL.md`, whether the skill is listed or
    /// not (Getting a Skill). Reads no file.
    ///
    /// # Errors
    ///
    /// [`SkillError::Invalid`] if the entry is wrong, or belongs to another skill.
    /// [`SkillError::Refused`] if `uri` is not the URI of a `SKILL.md`. [`SkillError::Call`] with the
    /// code -32602 if the server has no such skill.
    pub async fn get(&self, uri: &str) -> Result<SkillEntry, SkillError> {
        let wanted = file_uri::normal(uri).filter(|it| uri::directory(it).is_some());
        let wanted =
            wanted.ok_or_else(|| SkillError::refused(uri, "it is not the URI of a `SKILL.md`"))?;
        let request = self.client.request::<GetSkill>(params(uri));
        let result = request.repeatable(true).await?;
        let (entry, _) =
            Manifest::decode(&result.skill).map_err(|reason| SkillError::invalid(uri, reason))?;
        if file_uri::normal(&entry.uri) == Some(wanted) {
            Ok(entry)
        } else {
            let reason = format!("the server returned the entry of `{}` instead", entry.uri);
            Err(SkillError::invalid(uri, reason))
        }
    }

    /// Opens a skill: reads and verifies its `SKILL.md`, and holds the entry (The Acting Window and
    /// the Held Entry).
    ///
    /// `entry` may also come from elsewhere, such as a file of the host, since it is checked again.
    ///
    /// # Errors
    ///
    /// [`SkillError::Invalid`] if the entry is wrong; nothing is requested then.
    /// [`SkillError::Changed`] if the size, the digest or a field of the front matter is not that of
    /// the entry. [`SkillError::Call`] if the request fails.
    pub async fn open(&self, entry: &SkillEntry) -> Result<OpenSkill, SkillError> {
        OpenSkill::open(self.clone(), entry).await
    }

    /// [Gets](Self::get) the entry of a skill and [opens](Self::open) the skill.
    ///
    /// # Errors
    ///
    /// The errors of both.
    pub async fn open_uri(&self, uri: &str) -> Result<OpenSkill, SkillError> {
        let entry = self.get(uri).await?;
        self.open(&entry).await
    }

    /// Lists the direct children of a directory (Reading Directories). Fetches all pages.
    ///
    /// To list a directory of a skill, use [`OpenSkill::directory`], which compares the children with
    /// the skill's entry.
    ///
    /// # Errors
    ///
    /// [`SkillError::Refused`] if `uri` is not the URI of a directory, or if the server does not
    /// declare `directoryRead`; nothing is requested then. [`SkillError::Invalid`] if the server lists
    /// a resource that is not a direct child. [`SkillError::Call`] as for [`list`](Self::list).
    pub async fn directory(&self, uri: &str) -> Result<Vec<Resource>, SkillError> {
        let directory = file_uri::normal(uri)
            .ok_or_else(|| SkillError::refused(uri, "it is not the URI of a directory"))?;
        let is_declared = settings(&self.client)?.get(DIRECTORY_READ) == Some(&true.into());
        if !is_declared {
            let reason = "the server does not offer to list directories (`directoryRead`)";
            return Err(SkillError::refused(uri, reason));
        }
        let pages = self.client.pages_with::<ReadDirectory>(params(uri));
        let children = all(pages).await?;
        let is_child = |child: &&Resource| {
            let child = file_uri::normal(&child.uri);
            let path = child
                .as_deref()
                .and_then(|it| file_uri::below(it, &directory));
            path.is_some_and(|path| !path.contains('/'))
        };
        match children.iter().find(|it| !is_child(it)) {
            None => Ok(children),
            Some(other) => {
                let reason = format!("`{}` is not in this directory", other.uri);
                Err(SkillError::invalid(uri, reason))
            }
        }
    }

    /// Returns the verified contents of a file, from the cache or from the server. Contents that are
    /// not listed are not kept.
    ///
    /// # Errors
    ///
    /// [`SkillError::Changed`] if the contents belong to another URI, or differ from `listed`.
    pub(super) async fn fetch(
        &self,
        uri: &str,
        listed: Option<&SkillFile>,
    ) -> Result<SkillContents, SkillError> {
        if let Some(known) = listed.and_then(|file| self.cache().get(file)) {
            return Ok(known);
        }
        // An older answer in the client's cache of responses would look like a change of the skill.
        let result = self.client.read_resource(uri).fresh().await?;
        let changed = |difference| SkillError::Changed {
            uri: uri.to_owned(),
            difference,
        };
        let contents = SkillContents::of(&self.label, uri, result.contents).map_err(changed)?;
        if let Some(file) = listed {
            contents.verify(file).map_err(changed)?;
            self.cache().put(file.clone(), contents.clone());
        }
        Ok(contents)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn params(uri: &str) -> UriParams {
    let (uri, cursor) = (uri.to_owned(), None);
    UriParams { uri, cursor }
}

/// Fetches all pages of a list.
///
/// # Errors
///
/// Fails if the list has too many pages or bytes, or if the server repeats a cursor.
async fn all<R: ListRequest>(mut pages: Pages<R>) -> Result<Vec<R::Item>, CallError> {
    let mut items = Vec::new();
    while let Some(page) = pages.next().await? {
        items.extend(page);
    }
    if pages.is_cut() {
        return Err(CallError::Result {
            method: R::METHOD.to_owned(),
            reason: "the server repeats a cursor, so the list has no end".to_owned(),
        });
    }
    Ok(items)
}
