//! The skills of a server.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::types::CacheScope;
use mcp_runtime::{Change, Context, ProtocolError, Server};
use tokio::sync::{Mutex, watch};
use tokio::task::{JoinSet, spawn_blocking};

use super::assemble::assemble;
use super::fault::{Finding, LoadError};
use super::published::PublishedSkill;
use super::source::{Snapshot, snapshot};
use super::{Skill, SkillSource, directory, skill};
use crate::skills::SkillsClient;
use crate::skills::limits::MEMORY_LIMIT;

/// The skills that a server ships (`io.modelcontextprotocol/skills`).
///
/// Add them to a server with
/// [`ServerBuilder::extension`](mcp_runtime::ServerBuilder::extension). Clients list them with
/// `skills/list` and read their files as resources, `skill://refunds/SKILL.md`. The methods of the
/// extension are served in 2025-11-25 and 2026-07-28, whether or not a client declares the extension.
/// In older revisions, skills are plain resources.
///
/// A skill with a file that
/// [`filter_resources`](mcp_runtime::ServerBuilder::filter_resources) hides from a caller does not
/// exist for this caller.
///
/// Clones share the skills. A server offers one `Skills`; with several mounted servers, those of the
/// first.
///
/// ```no_run
/// use mcp_extensions::skills::Skills;
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::stdio;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let skills = Skills::directory("skills")?;
/// Server::builder().extension(skills).serve(stdio()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Skills {
    pub(super) catalog: Arc<Catalog>,
    /// The path that precedes all paths of skills, with a slash at its end unless it is empty.
    pub(super) prefix: String,
    pub(super) ttl: Duration,
    scope: CacheScope,
}

pub(super) struct Catalog {
    origin: Origin,
    /// The skills in memory. Each change is announced by the servers.
    current: watch::Sender<Arc<Snapshot>>,
    /// Held while the skills are loaded again.
    reloading: Mutex<()>,
}

enum Origin {
    /// The root, and the number of bytes that all files together may have.
    Directory(PathBuf, usize),
    Fixed,
    Source(Box<dyn SkillSource>),
}

/// The changes that [`Skills::reload`] has found: the paths of skills, such as `acme/refunds`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillChanges {
    /// Skills that are new.
    pub added: Vec<String>,
    /// Skills with a file that was added, changed or removed.
    pub changed: Vec<String>,
    /// Skills that no longer exist.
    pub removed: Vec<String>,
}

impl Skills {
    /// Loads each folder below `root` that has a `SKILL.md`, with all files in it, into memory. The
    /// path of the folder becomes that of the skill: `root/billing/refunds/SKILL.md` is
    /// `skill://billing/refunds/SKILL.md`.
    ///
    /// Files and folders whose names begin with a dot are left out. Blocks while the files are read.
    /// All files together may have 256 MiB; see [`directory_within`](Self::directory_within).
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skills: each with its file and line, and what to write instead.
    /// Symbolic links and anything but regular files and folders are faults in a skill.
    pub fn directory(root: impl Into<PathBuf>) -> Result<Self, LoadError> {
        Self::directory_within(MEMORY_LIMIT, root)
    }

    /// Loads skills like [`directory`](Self::directory), but at most `memory_limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skills.
    pub fn directory_within(
        memory_limit: usize,
        root: impl Into<PathBuf>,
    ) -> Result<Self, LoadError> {
        let root = root.into();
        let skills = directory::load(&root, memory_limit)?;
        Ok(Self::of(Origin::Directory(root, memory_limit), skills))
    }

    /// Takes the skills from files that are part of the program: pairs of a path and the contents.
    ///
    /// ```
    /// use mcp_extensions::skills::Skills;
    ///
    /// // With `include_bytes!`, if the file exists.
    /// const REFUNDS: &[u8] = b"---\nname: refunds\ndescription: Process refunds.\n---\n";
    /// const FILES: &[(&str, &[u8])] = &[("refunds/SKILL.md", REFUNDS), ("refunds/a.md", b"")];
    ///
    /// let skills = Skills::embedded(FILES)?;
    /// # drop(skills);
    /// # Ok::<(), mcp_extensions::skills::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skills.
    pub fn embedded<'a, B>(
        files: impl IntoIterator<Item = &'a (&'a str, B)>,
    ) -> Result<Self, LoadError>
    where
        B: AsRef<[u8]> + 'a,
    {
        let files = files.into_iter();
        let files = files.map(|(path, contents)| ((*path).to_owned(), contents.as_ref().into()));
        let skills = assemble(files, &BTreeSet::new())?;
        Ok(Self::of(Origin::Fixed, skills))
    }

    /// Takes skills that the program has written.
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skills.
    pub fn new(skills: impl IntoIterator<Item = Skill>) -> Result<Self, LoadError> {
        Ok(Self::of(Origin::Fixed, skill::publish(skills)?))
    }

    /// Takes the skills from a source that decides what each caller gets. Answers are then private:
    /// no client may cache them for others.
    #[must_use]
    pub fn source(source: impl SkillSource) -> Self {
        Self::of(Origin::Source(Box::new(source)), Vec::new())
    }

    /// Returns the extension of a client, which reads skills.
    #[must_use]
    pub fn client() -> SkillsClient {
        SkillsClient::new()
    }

    fn of(origin: Origin, skills: Vec<PublishedSkill>) -> Self {
        let catalog = Catalog {
            origin,
            current: watch::Sender::new(Arc::new(snapshot(skills))),
            reloading: Mutex::default(),
        };
        Self {
            catalog: Arc::new(catalog),
            prefix: String::new(),
            ttl: Duration::ZERO,
            scope: CacheScope::Private,
        }
    }

    /// Puts all skills below a path: with the prefix `acme`, the URI of the skill `refunds` is
    /// `skill://acme/refunds/SKILL.md`.
    ///
    /// # Panics
    ///
    /// Panics if a segment of the path is empty, `.` or `..`.
    #[must_use]
    pub fn prefix(mut self, path: impl AsRef<str>) -> Self {
        let path = path.as_ref().trim_matches('/');
        let is_name = |segment: &str| !matches!(segment, "" | "." | "..");
        assert!(
            path.split('/').all(is_name),
            "`{path}` can't be the prefix of skills: its segments have to be names"
        );
        self.prefix = format!("{path}/");
        self
    }

    /// Allows clients to cache lists, entries and files for `ttl` (2026-07-28, "Caching"). By
    /// default, clients may not cache them. The scope is private in any case if callers may see
    /// different skills.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.ttl = ttl;
        self.scope = scope;
        self
    }

    /// Returns for whom an answer may be cached. `is_callers` says that it depends on the caller.
    pub(super) fn scope(&self, is_callers: bool) -> CacheScope {
        match &self.catalog.origin {
            Origin::Directory(..) | Origin::Fixed if !is_callers => self.scope.clone(),
            _ => CacheScope::Private,
        }
    }

    /// Returns the values that known hosts read differently, although they are valid. They are also
    /// logged when skills are loaded.
    #[must_use]
    pub fn warnings(&self) -> Vec<Finding> {
        let current = self.catalog.current();
        let skills = current.values();
        skills.flat_map(|it| &*it.warnings).cloned().collect()
    }

    /// Loads the skills of a directory again, and announces the change of the resources to clients
    /// if there is any. For a [source](Self::source), only announces a change.
    ///
    /// # Errors
    ///
    /// Fails with all faults of the skills. The skills are then served as before.
    pub async fn reload(&self) -> Result<SkillChanges, LoadError> {
        let catalog = &self.catalog;
        let _reloading = catalog.reloading.lock().await;
        let mut changes = SkillChanges::default();
        match &catalog.origin {
            Origin::Fixed => {}
            Origin::Source(_) => catalog.current.send_modify(|_| ()),
            Origin::Directory(root, memory_limit) => {
                let (root, memory_limit) = (root.clone(), *memory_limit);
                let loading = spawn_blocking(move || directory::load(&root, memory_limit));
                let failed = |error| LoadError::of("", format!("loading has failed: {error}"));
                let loaded = snapshot(loading.await.map_err(failed)??);
                changes = SkillChanges::between(&catalog.current(), &loaded);
                if changes != SkillChanges::default() {
                    catalog.current.send_replace(Arc::new(loaded));
                }
            }
        }
        Ok(changes)
    }
}

impl SkillChanges {
    fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let mut changes = Self::default();
        for (path, skill) in after {
            match before.get(path) {
                None => changes.added.push(path.clone()),
                Some(old) if !old.has_same_files(skill) => changes.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let removed = before.keys().filter(|path| !after.contains_key(*path));
        changes.removed.extend(removed.cloned());
        changes
    }
}

impl Catalog {
    fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.borrow())
    }

    /// Returns true if the skills can change while the server runs.
    pub(super) fn is_changing(&self) -> bool {
        !matches!(self.origin, Origin::Fixed)
    }

    pub(super) async fn list(&self, cx: &Context) -> Result<Vec<PublishedSkill>, ProtocolError> {
        match &self.origin {
            Origin::Source(source) => source.list(cx).await,
            _ => Ok(self.current().values().cloned().collect()),
        }
    }

    pub(super) async fn get(
        &self,
        path: &str,
        cx: &Context,
    ) -> Result<Option<PublishedSkill>, ProtocolError> {
        match &self.origin {
            Origin::Source(source) => source.get(path, cx).await,
            _ => Ok(self.current().get(path).cloned()),
        }
    }

    /// Announces changes to the clients of `server` until the returned set is dropped.
    pub(super) fn announce(&self, server: Server) -> JoinSet<()> {
        let mut current = self.current.subscribe();
        let mut announcing = JoinSet::new();
        announcing.spawn(async move {
            while current.changed().await.is_ok() {
                server.notify_changed(Change::Resources);
            }
        });
        announcing
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skills")
            .field("prefix", &self.prefix)
            .field("skills", &self.catalog.current().keys())
            .finish_non_exhaustive()
    }
}
