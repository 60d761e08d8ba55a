//! The entries of all files.

use std::path::{Path, PathBuf};
use std::{env, fs, io, path};

use crate::file::{self, FileSpec};
use crate::places::in_project;
use crate::{ConfigError, Entry, FileFault, Places, Source};

/// The servers that files of MCP clients name.
///
/// Nothing is started, connected to or expanded by reading. A project's file can name any program:
/// connect to an entry of one only where the project is trusted.
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
}

impl Servers {
    /// Reads the files of all [sources](Source): those of the project in `folder`, and those of the
    /// user. A file of a project counts where it is in `folder` or above, up to the root of the
    /// repository; without a repository, up to the home folder, which is not searched.
    ///
    /// Files that are missing count as empty; those that can't be read are [`faults`](Self::faults).
    /// Limit: 8 MiB a file. Where a source has several entries of a name, the one of the innermost
    /// folder counts, and one of a project before one of the user.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Folder`] and [`ConfigError::NoHome`].
    pub fn find(folder: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::find_in(folder, &Places::from_env()?)
    }

    /// As [`find`](Self::find), with the user's folders in other places.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Folder`].
    pub fn find_in(folder: impl AsRef<Path>, places: &Places) -> Result<Self, ConfigError> {
        let given = folder.as_ref();
        let folder = real(given).map_err(|error| ConfigError::Folder {
            folder: given.to_owned(),
            error,
        })?;
        let project = places.project(&folder);
        let mut servers = Self::default();
        for source in Source::ALL {
            let of_project = project.iter().flat_map(|folder| {
                let paths = in_project(source).iter();
                paths.map(|it| (folder.join(it), *folder))
            });
            let of_user = places.files(source).into_iter().map(|it| (it, &*folder));
            for (path, folder) in of_project.chain(of_user) {
                let added = servers.add(&FileSpec {
                    source: Some(source),
                    path: &path,
                    folder,
                    project: &project,
                    home: &places.home,
                });
                servers.faults.extend(added.err());
            }
        }
        Ok(servers)
    }

    /// Reads one file, in the form of the client that its path or its members are typical of;
    /// otherwise as one of a project: `{"mcpServers": {…}}`. Programs run in the folder of this
    /// process.
    ///
    /// # Errors
    ///
    /// [`ConfigError::File`] if the file can't be read; single entries at fault are
    /// [`faults`](Self::faults).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let folder = env::current_dir().map_err(|error| ConfigError::Folder {
            folder: PathBuf::from("."),
            error,
        })?;
        let path = path.as_ref();
        let spec = FileSpec {
            source: Source::of_path(path),
            path,
            folder: &folder,
            project: &[&folder],
            home: &env::home_dir().unwrap_or_default(),
        };
        let mut servers = Self::default();
        let is_there = servers.add(&spec).map_err(ConfigError::File)?;
        match is_there {
            true => Ok(servers),
            false => Err(ConfigError::File(spec.missing())),
        }
    }

    /// The entry `name`, such as `weather`, or `cursor:weather` where several sources have one. Of
    /// several, those that are [enabled](Entry::is_enabled) count, if any is.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Ambiguous`]; [`ConfigError::Unknown`], which names the most similar one, and
    /// files that can't be read; [`ConfigError::File`] if the entry itself is at fault.
    pub fn get(&self, name: &str) -> Result<&Entry, ConfigError> {
        let mut found: Vec<_> = self.iter().filter(|it| it.name() == name).collect();
        if found.is_empty() {
            found.extend(self.iter().filter(|it| it.qualified_name() == name));
        }
        if found.iter().any(|it| it.is_enabled()) {
            found.retain(|it| it.is_enabled());
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

    /// All entries, by precedence: in the order of [`Source::ALL`], then as in the files.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The files and entries that can't be read.
    #[must_use]
    pub fn faults(&self) -> &[FileFault] {
        &self.faults
    }

    /// Adds what a file has and no file before it; returns false if there is none.
    fn add(&mut self, spec: &FileSpec<'_>) -> Result<bool, FileFault> {
        let Some(content) = file::read(spec)? else {
            return Ok(false);
        };
        for entry in content.entries {
            let is_same = |it: &Entry| it.source() == entry.source() && it.name() == entry.name();
            if !self.iter().any(is_same) {
                self.entries.push(entry);
            }
        }
        self.faults.extend(content.faults);
        Ok(true)
    }

    fn unknown(&self, name: &str) -> ConfigError {
        let is_its = |it: &&FileFault| {
            let entry = it.entry.as_deref();
            entry.is_some_and(|entry| entry == name || format!("{}:{entry}", it.source) == name)
        };
        if let Some(fault) = self.faults.iter().find(is_its) {
            return ConfigError::File(fault.clone());
        }
        let is_qualified = name.contains(':');
        let names = self.iter().map(|it| match is_qualified {
            true => it.qualified_name(),
            false => it.name().to_owned(),
        });
        let distances = names.map(|it| (strsim::osa_distance(name, &it), it));
        let nearest = distances
            .min()
            .filter(|(distance, _)| *distance <= 1 + name.len() / 4);
        let whole = self.faults.iter().filter(|it| it.entry.is_none());
        ConfigError::Unknown {
            name: name.to_owned(),
            nearest: nearest.map(|(_, name)| name),
            faults: whole.cloned().collect(),
        }
    }
}

/// The absolute path of a folder.
fn real(folder: &Path) -> io::Result<PathBuf> {
    // Paths by which `canonicalize` names folders on Windows are not those that programs expect.
    let path = match env::consts::OS {
        "windows" => path::absolute(folder)?,
        _ => fs::canonicalize(folder)?,
    };
    match fs::metadata(&path)?.is_dir() {
        true => Ok(path),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}
