//! The skills of one server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_runtime::client::{ListRequest, Pages};
use mcp_runtime::types::{JsonObject, RawJson, Resource};
use mcp_runtime::{CallError, Client};

use super::contents::Cache;
use super::entry::{decode, find, normal};
use super::extension::{GetSkill, ListSkills, ReadDirectory, settings};
use super::{OpenSkill, SkillContents, SkillError, SkillListing};
use crate::skills::limits::MAX_SKILL_BYTES;
use crate::skills::types::DIRECTORY_READ;
use crate::skills::{SkillEntry, uri};

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
    /// declare [`SkillsClient`](super::SkillsClient), or if the server offers a revision of the
    /// extension that is not known (`revision` in its settings, SEP-3392).
    fn skills(&self, label: &str) -> Result<ServerSkills, SkillError>;
}

impl ReadSkills for Client {
    fn skills(&self, label: &str) -> Result<ServerSkills, SkillError> {
        settings(self)?;
        Ok(ServerSkills {
            client: self.clone(),
            label: label.into(),
            cache: Arc::default(),
        })
    }
}

/// The skills of one server. Created by [`ReadSkills::skills`].
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
        let wanted = normal(uri).filter(|it| uri::directory(it).is_some());
        if wanted.is_none() {
            return Err(SkillError::refused(
                uri,
                "it is not the URI of a `SKILL.md`",
            ));
        }
        let request = self.client.request::<GetSkill>(params(uri));
        let result = request.repeatable(true).await?;
        let entry = decode(&RawJson::encode(&result.get("skill")));
        let entry = entry.map_err(|reason| SkillError::invalid(uri, reason))?;
        if normal(&entry.uri) == wanted {
            return Ok(entry);
        }
        let reason = format!("the server returned the entry of `{}` instead", entry.uri);
        Err(SkillError::invalid(uri, reason))
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
    /// the skill's entry. Here, they are returned as the server lists them.
    ///
    /// # Errors
    ///
    /// [`SkillError::Refused`] if the server does not declare `directoryRead`; nothing is requested
    /// then. [`SkillError::Call`] as for [`list`](Self::list).
    pub async fn directory(&self, uri: &str) -> Result<Vec<Resource>, SkillError> {
        if settings(&self.client)?.get(DIRECTORY_READ) != Some(&true.into()) {
            let reason = "the server does not offer to list directories (`directoryRead`)";
            return Err(SkillError::refused(uri, reason));
        }
        let pages = self.client.pages_with::<ReadDirectory>(params(uri));
        Ok(all(pages).await?)
    }

    /// Returns the contents of a file of `entry`. Listed files are verified, and kept in the cache.
    /// `read` counts the bytes of a dynamic skill (Limits).
    ///
    /// # Errors
    ///
    /// The errors of [`OpenSkill::read`].
    pub(super) async fn fetch(
        &self,
        entry: &SkillEntry,
        uri: &str,
        read: &AtomicUsize,
    ) -> Result<SkillContents, SkillError> {
        let too_large = || SkillError::refused(uri, "a dynamic skill may have 16 MiB in total");
        if read.load(Ordering::Relaxed) >= MAX_SKILL_BYTES {
            return Err(too_large());
        }
        let listed = find(entry, uri);
        if let Some(known) = listed.and_then(|file| self.cache().get(file)) {
            return Ok(known);
        }
        let uri = listed.map_or(uri, |file| &file.uri);
        // An older answer in the client's cache of responses would look like a change of the skill.
        let parts = self.client.read_resource(uri).fresh().await?.contents;
        let contents = SkillContents::of(&self.label, uri, parts, listed)
            .map_err(|difference| SkillError::changed(uri, difference))?;
        let length = contents.bytes.len();
        match listed {
            Some(file) => self.cache().put(file, &contents),
            None if read.fetch_add(length, Ordering::Relaxed) + length > MAX_SKILL_BYTES => {
                return Err(too_large());
            }
            None => {}
        }
        Ok(contents)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn params(uri: &str) -> JsonObject {
    JsonObject::from_iter([("uri".to_owned(), uri.into())])
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
