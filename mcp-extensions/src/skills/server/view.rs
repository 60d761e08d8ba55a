//! The skills that the caller of a request may read, and the answers to requests.

use std::num::NonZeroUsize;

use mcp_runtime::server::ResourceView;
use mcp_runtime::types::jsonrpc::code;
use mcp_runtime::types::{
    BlobResourceContents, JsonObject, OrderedMap, RawJson, Resource, ResourceContents,
    TextResourceContents,
};
use mcp_runtime::{Context, ProtocolError};
use serde::Serialize;
use serde_json::json;

use super::Skills;
use super::published::{PublishedFile, PublishedSkill};
use crate::skills::limits::{MAX_FOLDERS, PAGE_BYTES};
use crate::skills::types::{
    DIRECTORY, DIRECTORY_TYPE, LIST, SKILL_MD, SkillEntry, SkillFile, SkillFiles,
};
use crate::skills::uri;

/// The skills that the caller of a request may read in full. Others do not exist for the caller.
pub(super) struct View<'a> {
    skills: &'a Skills,
    cx: &'a Context,
    resources: ResourceView<'a>,
}

/// The members of a result.
pub(super) type Members = OrderedMap<RawJson>;

impl<'a> View<'a> {
    pub(super) fn new(skills: &'a Skills, cx: &'a Context) -> Self {
        Self {
            skills,
            cx,
            resources: cx.resources(),
        }
    }

    /// Answers `skills/list` (Listing Skills).
    pub(super) async fn list(&self, cursor: Option<String>) -> Result<Members, ProtocolError> {
        let skills = self.listed().await?;
        let page = self.page(LIST, cursor, &skills, PublishedSkill::path, |it| {
            self.entry(it)
        })?;
        Ok(self.result("skills", page))
    }

    /// Answers `skills/get` (Getting a Skill).
    pub(super) async fn get(&self, uri: &str) -> Result<Members, ProtocolError> {
        let path = self.resources.inner_uri(uri).and_then(|it| uri::path(&it));
        let skill = match path.as_deref().and_then(uri::directory) {
            Some(path) => self.find(path).await?,
            None => None,
        };
        let skill = skill.ok_or_else(|| invalid(format!("no skill is served at {uri}")))?;
        Ok(self.result("skill", (RawJson::encode(&self.entry(&skill)), None)))
    }

    /// Answers `resources/directory/read` (Reading Directories).
    pub(super) async fn directory(
        &self,
        uri: &str,
        cursor: Option<String>,
    ) -> Result<Members, ProtocolError> {
        let children = match self.resources.inner_uri(uri).and_then(|it| uri::path(&it)) {
            Some(path) => self.children(&path).await?,
            None => Vec::new(),
        };
        if children.is_empty() {
            return Err(invalid(format!("{uri} is not a directory of a skill")));
        }
        let page = self.page(DIRECTORY, cursor, &children, |it| &it.uri, Clone::clone)?;
        Ok(self.result("resources", page))
    }

    /// Reads a file. Returns `None` if the caller sees no file with this URI.
    pub(super) async fn read(&self, uri: &str) -> Result<Option<ResourceContents>, ProtocolError> {
        let path = uri::path(uri).unwrap_or_default();
        for (folder, rest) in folders(&path) {
            let skill = self.find(folder).await?;
            if let Some(file) = skill.as_ref().and_then(|skill| skill.file(rest)) {
                return Ok(Some(contents(uri, file)));
            }
        }
        Ok(None)
    }

    /// Lists each `SKILL.md` for `resources/list` (Resource Metadata). A server that mounts this one
    /// adds its prefix to the URIs.
    pub(super) async fn skill_mds(&self) -> Result<Vec<Resource>, ProtocolError> {
        let skills = self.listed().await?;
        let skill_md = |skill: &PublishedSkill| {
            let file = skill.file(SKILL_MD)?;
            Some(described(skill, file, uri::of(&self.path(skill, SKILL_MD))))
        };
        Ok(skills.iter().filter_map(skill_md).collect())
    }

    /// Returns the skills that are listed for the caller, sorted by path.
    async fn listed(&self) -> Result<Vec<PublishedSkill>, ProtocolError> {
        let mut skills = self.skills.catalog.list(self.cx).await?;
        skills.retain(|skill| self.sees(skill));
        skills.sort_by(|one, other| one.path().cmp(other.path()));
        skills.dedup_by(|one, other| one.path() == other.path());
        Ok(skills)
    }

    /// Finds the skill in the folder `path`, whether it is listed or not.
    async fn find(&self, path: &str) -> Result<Option<PublishedSkill>, ProtocolError> {
        let Some(path) = path.strip_prefix(&self.skills.prefix) else {
            return Ok(None);
        };
        let skill = self.skills.catalog.get(path, self.cx).await?;
        Ok(skill.filter(|skill| skill.path() == path && self.sees(skill)))
    }

    /// Returns true if the caller may read every file of `skill`.
    fn sees(&self, skill: &PublishedSkill) -> bool {
        let mut files = skill.files.iter();
        let is_shown = |file: &PublishedFile| {
            let uri = uri::of(&self.path(skill, &file.path));
            self.resources.shows(&uri)
        };
        !self.resources.differ_by_caller() || files.all(is_shown)
    }

    /// Returns the path of a skill's file below `skill://`.
    fn path(&self, skill: &PublishedSkill, file: &str) -> String {
        format!("{}{}/{file}", self.skills.prefix, skill.path())
    }

    /// Returns the direct children of the directory `path`: of a skill, or of the path to a skill.
    async fn children(&self, path: &str) -> Result<Vec<Resource>, ProtocolError> {
        let inside = format!("{path}/");
        let mut children = Vec::new();
        for (folder, _) in folders(&inside) {
            if let Some(skill) = self.find(folder).await? {
                let files = skill.files.iter();
                children = files
                    .filter_map(|file| self.child(&inside, &skill, Some(file)))
                    .collect();
            }
            if !children.is_empty() {
                break;
            }
        }
        if children.is_empty() {
            let skills = self.listed().await?;
            let skills = skills.iter();
            children = skills
                .filter_map(|skill| self.child(&inside, skill, None))
                .collect();
        }
        children.sort_by(|one, other| one.uri.cmp(&other.uri));
        children.dedup_by(|one, other| one.uri == other.uri);
        Ok(children)
    }

    /// Returns the child of the directory `inside` that is a file of `skill`, or leads to the file or
    /// to the skill.
    fn child(
        &self,
        inside: &str,
        skill: &PublishedSkill,
        file: Option<&PublishedFile>,
    ) -> Option<Resource> {
        let path = self.path(skill, file.map_or("", |file| &file.path));
        let rest = path.strip_prefix(inside)?;
        let name = rest.split('/').next()?;
        let uri = uri::of(&format!("{inside}{name}"));
        let uri = self.resources.outer_uri(&uri);
        Some(match file {
            Some(file) if name == rest => described(skill, file, uri),
            _ => Resource::new(name, uri).with_mime_type(DIRECTORY_TYPE),
        })
    }

    fn entry(&self, skill: &PublishedSkill) -> SkillEntry {
        let uri = |file: &str| self.resources.outer_uri(&uri::of(&self.path(skill, file)));
        let file = |file: &PublishedFile| SkillFile {
            uri: uri(&file.path),
            digest: file.digest.clone(),
            size: file.bytes.len() as u64,
        };
        SkillEntry {
            uri: uri(SKILL_MD),
            frontmatter: JsonObject::clone(&skill.fields),
            resources: match skill.is_dynamic {
                true => SkillFiles::Dynamic,
                false => SkillFiles::Listed(skill.files.iter().map(file).collect()),
            },
        }
    }

    /// Returns the items that follow `cursor`, as JSON, and the cursor of the next page. The items
    /// are sorted by `key`.
    fn page<I, T: Serialize>(
        &self,
        method: &str,
        cursor: Option<String>,
        items: &[I],
        key: impl Fn(&I) -> &str,
        written: impl Fn(&I) -> T,
    ) -> Result<(RawJson, Option<String>), ProtocolError> {
        let after = cursor.map(
            |cursor| match serde_json::from_str::<(String, String)>(&cursor) {
                Ok((of, after)) if of == method => Ok(after),
                _ => Err(invalid("`params.cursor` was not issued for this list")),
            },
        );
        let after = after.transpose()?;
        let start = after.map_or(0, |after| {
            items.partition_point(|item| key(item) <= &*after)
        });
        let most = self
            .resources
            .page_size()
            .map_or(usize::MAX, NonZeroUsize::get);
        let mut page: Vec<RawJson> = Vec::new();
        let mut bytes = 0;
        for item in items[start..].iter().take(most) {
            let item = RawJson::encode(&written(item));
            bytes += item.get().len();
            if bytes > PAGE_BYTES && !page.is_empty() {
                break;
            }
            page.push(item);
        }
        let end = start + page.len();
        let last = items[..end].last().filter(|_| end < items.len());
        let next = last.map(|last| json!([method, key(last)]).to_string());
        Ok((RawJson::encode(&page), next))
    }

    /// Returns a result whose member `name` is `value`.
    fn result(&self, name: &str, (value, next): (RawJson, Option<String>)) -> Members {
        let mut members = Members::default();
        members.insert(name.to_owned(), value);
        if let Some(next) = next {
            members.insert("nextCursor".to_owned(), RawJson::encode(&next));
        }
        if self.cx.revision().has_type("CacheScope") {
            let ttl = u64::try_from(self.skills.ttl.as_millis()).unwrap_or(u64::MAX);
            let scope = self.skills.scope(self.resources.differ_by_caller());
            members.insert("ttlMs".to_owned(), RawJson::encode(&ttl));
            members.insert("cacheScope".to_owned(), RawJson::encode(&scope));
        }
        members
    }
}

/// Returns the folders that `path` is in, from the innermost, each with the rest of the path.
fn folders(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let slashes = path.rmatch_indices('/').take(MAX_FOLDERS);
    slashes.map(|(at, _)| (&path[..at], &path[at + 1..]))
}

/// Describes a file of a skill. A `SKILL.md` has the name and description of its front matter.
fn described(skill: &PublishedSkill, file: &PublishedFile, uri: String) -> Resource {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let mut resource = Resource::new(name, uri).with_mime_type(file.media_type);
    resource.size = Some(file.bytes.len() as i128);
    let field = |name: &str| Some(skill.fields.get(name)?.as_str()?.to_owned());
    if file.path == SKILL_MD {
        resource.description = field("description");
        resource.name = field("name").unwrap_or(resource.name);
    }
    resource
}

/// UTF-8 without NUL is text. Everything else is binary.
fn contents(uri: &str, file: &PublishedFile) -> ResourceContents {
    let text = str::from_utf8(&file.bytes).ok();
    match text.filter(|text| !text.contains('\0')) {
        Some(text) => TextResourceContents::new(uri, text)
            .with_mime_type(file.media_type)
            .into(),
        None => BlobResourceContents::from_bytes(uri, &file.bytes)
            .with_mime_type(file.media_type)
            .into(),
    }
}

fn invalid(reason: impl Into<String>) -> ProtocolError {
    ProtocolError::new(code::INVALID_PARAMS, reason.into())
}
