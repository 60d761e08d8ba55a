//! Reads the files of all clients, and finds entries by name.

use std::collections::HashSet;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, ptr};

use mcp_runtime::nearest::nearest;

use crate::entry::Context;
use crate::places::Places;
use crate::{ConfigError, Entry, FileFault, Source, decode, file};

const MAX_ENTRIES: usize = 1_000;

/// A file in which servers were looked for. It need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The client that the file belongs to.
    pub source: &'static Source,
    /// The path of the file.
    pub file: PathBuf,
    /// Whether the file belongs to a project, as for [`Entry::is_of_project`].
    pub is_of_project: bool,
}

/// The servers that are configured in files of MCP clients.
///
/// Reading the files starts, connects to and expands nothing. A project's file can name any
/// program, so connect to an entry that [is of a project](Entry::is_of_project) only if the user
/// trusts it.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_config::Servers;
/// use mcp_runtime::Client;
///
/// let servers = Servers::find(".")?;
/// for fault in servers.faults() {
///     eprintln!("left out: {fault}");
/// }
/// let builder = Client::builder("example", "1.0.0");
/// let client = servers.get("weather")?.connect(builder).await?;
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Servers {
    entries: Vec<Entry>,
    faults: Vec<FileFault>,
    places: Vec<Place>,
}

impl Servers {
    /// Reads the files of all [sources](Source), both of the project in `folder` and of the user.
    ///
    /// A file belongs to the project if it is in `folder` or above, up to the root of the
    /// repository. Without a repository, the search ends below the home folder.
    ///
    /// Missing files are ignored, and files that can't be read are [`faults`](Self::faults). If a
    /// source has several entries with the same name, the entry of the innermost folder is used,
    /// and an entry of a project takes precedence over an entry of the user.
    ///
    /// Limits: 1 MiB for a file of a project, 8 MiB for a file of the user, and 1,000 servers in
    /// each.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::NoHome`] if the home folder is unknown.
    pub fn find(folder: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Ok(Self::below(folder.as_ref(), &Places::of_user()?))
    }

    /// Like [`find`](Self::find), with another home folder, and without variables such as
    /// `XDG_CONFIG_HOME`.
    pub fn find_in(folder: impl AsRef<Path>, home: impl AsRef<Path>) -> Self {
        Self::below(folder.as_ref(), &Places::new(home.as_ref(), |_| None))
    }

    fn below(folder: &Path, places: &Places) -> Self {
        let folder = absolute(folder);
        let project = places.project(&folder);
        let mut servers = Self::default();
        for source in Source::all() {
            for (file, folder, is_of_project) in places.files(source, &project) {
                // Reading anything else, such as a pipe, might never end.
                if file.is_file() {
                    let read = servers.add(Some(source), &file, folder, &project, is_of_project);
                    servers.faults.extend(read.err());
                }
                servers.places.push(Place {
                    source,
                    file,
                    is_of_project,
                });
            }
        }
        servers
    }

    /// Reads one file. The name and the members of the file decide which client's format it has.
    /// The
    /// default is the format of a project: `{"mcpServers": {…}}`.
    ///
    /// Programs run in the current folder of this process. The file may have at most 8 MiB and
    /// 1,000 servers.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::File`] if the file can't be read. Faulty entries are only
    /// [`faults`](Self::faults).
    pub fn read(file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let folder = absolute(".".as_ref());
        let mut servers = Self::default();
        let read = servers.add(None, file.as_ref(), &folder, &[&folder], false);
        read.map(|()| servers).map_err(ConfigError::File)
    }

    /// Returns the entry `name`, such as `weather`, or `cursor:weather` if several sources have the
    /// name.
    ///
    /// If at least one of several entries is [enabled](Entry::is_enabled), disabled ones are
    /// ignored.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Ambiguous`] if several sources have the entry,
    /// [`ConfigError::Unknown`] if there is no such entry, and [`ConfigError::File`] if the entry
    /// itself is faulty.
    pub fn get(&self, name: &str) -> Result<&Entry, ConfigError> {
        let mut found: Vec<_> = self.iter().filter(|it| it.name == name).collect();
        if found.is_empty() {
            found.extend(self.iter().filter(|it| it.qualified_name() == name));
        }
        if found.iter().any(|it| it.is_enabled) {
            found.retain(|it| it.is_enabled);
        }
        match *found {
            [] => Err(self.unknown(name)),
            [entry] => Ok(entry),
            _ => Err(ConfigError::Ambiguous {
                name: name.to_owned(),
                candidates: found.iter().map(|it| it.qualified_name()).collect(),
            }),
        }
    }

    /// Returns all entries in order of precedence: in the order of [`Source::all`], with entries of
    /// a project first, then by name.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Returns the files and entries that can't be read.
    #[must_use]
    pub fn faults(&self) -> &[FileFault] {
        &self.faults
    }

    /// Returns the files in which [`find`](Self::find) has looked for servers, in order of
    /// precedence, whether they exist or not. Empty after [`read`](Self::read).
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Adds the entries of a file, except for names that its source already has.
    fn add(
        &mut self,
        source: Option<&'static Source>,
        file: &Path,
        folder: &Path,
        project: &[&Path],
        is_of_project: bool,
    ) -> Result<(), FileFault> {
        let fault = |entry: Option<&str>, (position, text)| FileFault {
            file: file.to_owned(),
            position,
            entry: entry.map(str::to_owned),
            text,
        };
        let limit = if is_of_project {
            file::MAX_PROJECT_MIB
        } else {
            file::MAX_MIB
        };
        let text = file::text(file, limit).map_err(|it| fault(None, it))?;
        let root = file::parse(&text, file).map_err(|it| fault(None, it))?;
        let source = source.unwrap_or_else(|| Source::of_file(file, &root));
        let context = Arc::new(Context {
            source,
            file: file.to_owned(),
            folder: folder.to_owned(),
            inputs: decode::inputs(&root),
            is_of_project,
            text,
        });
        let servers = &source.servers;
        let members = decode::members(&root, servers, project);
        if members.len() > MAX_ENTRIES {
            let text = format!("it names more than {MAX_ENTRIES} servers");
            return Err(fault(None, (None, text)));
        }
        let known = self.iter().filter(|it| ptr::eq(it.source, source));
        let mut known: HashSet<_> = known.map(|it| it.name.clone()).collect();
        let mut faults = Vec::new();
        for (name, value) in members {
            match decode::entry(&context, name, value) {
                Ok(Some(entry)) if known.insert(name.clone()) => self.entries.push(entry),
                Ok(_) => {}
                Err(text) => faults.push((&**name, text)),
            }
        }
        let names = faults.iter().map(|it| it.0).collect();
        let places = file::places(&context.text, servers, &names);
        let faults = faults.into_iter().map(|(name, text)| {
            let place = places.get(name).copied();
            fault(Some(name), (place, text))
        });
        self.faults.extend(faults);
        Ok(())
    }

    fn unknown(&self, name: &str) -> ConfigError {
        let is_its = |it: &&FileFault| match &it.entry {
            Some(entry) => entry == name || name.ends_with(&format!(":{entry}")),
            None => false,
        };
        if let Some(fault) = self.faults.iter().find(is_its) {
            return ConfigError::File(fault.clone());
        }
        let names = self.iter().map(|it| {
            if name.contains(':') {
                it.qualified_name()
            } else {
                it.name.clone()
            }
        });
        let names: Vec<_> = names.collect();
        let nearest = nearest(name, names.iter().map(String::as_str));
        let mut hints = nearest.map_or_else(String::new, |it| format!("; is `{it}` meant?"));
        for fault in self.faults.iter().filter(|it| it.entry.is_none()) {
            hints += &format!("; a file can't be read: {fault}");
        }
        let name = name.to_owned();
        ConfigError::Unknown { name, hints }
    }
}

/// The absolute path of a folder, or `folder` itself if it does not exist.
pub(crate) fn absolute(folder: &Path) -> PathBuf {
    // On Windows, `canonicalize` returns paths in a form that programs do not expect.
    let path = match env::consts::OS {
        "windows" => path::absolute(folder),
        _ => fs::canonicalize(folder),
    };
    path.unwrap_or_else(|_| folder.to_owned())
}
