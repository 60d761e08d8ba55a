//! Finds the files of clients.

use std::env;
use std::env::consts::OS;
use std::path::{Path, PathBuf};

use crate::{ConfigError, Source};

/// The folders of a user in which clients keep their files.
pub(crate) struct Places {
    home: PathBuf,
    /// The folders by their names in `sources.toml`.
    folders: [(&'static str, PathBuf); 4],
}

impl Places {
    /// The folders of the user of this process.
    pub(crate) fn of_user() -> Result<Self, ConfigError> {
        let home = env::home_dir().ok_or(ConfigError::NoHome)?;
        Ok(Self::new(&home, |name| {
            env::var_os(name).map(PathBuf::from)
        }))
    }

    /// The folders inside a home folder, unless environment variables name other folders.
    pub(crate) fn new(home: &Path, variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let folder = |name, usual| {
            let folder = variable(name).filter(|it| it.is_absolute());
            folder.unwrap_or_else(|| home.join(usual))
        };
        let config = match OS {
            "windows" => folder("APPDATA", "AppData/Roaming"),
            _ => folder("XDG_CONFIG_HOME", ".config"),
        };
        let applications = match OS {
            "macos" => home.join("Library/Application Support"),
            _ => config.clone(),
        };
        Self {
            home: home.to_owned(),
            folders: [
                ("home", home.to_owned()),
                ("applications", applications),
                ("config", config),
                ("codex", folder("CODEX_HOME", ".codex")),
            ],
        }
    }

    /// The files of a source in order of precedence. Each file comes with the folder that its
    /// programs run in, and whether the file belongs to the project.
    ///
    /// A file of the user never belongs to the project, even if the project is the home folder.
    pub(crate) fn files<'a>(
        &self,
        source: &Source,
        project: &[&'a Path],
    ) -> Vec<(PathBuf, &'a Path, bool)> {
        let of_user = |(place, file): (&str, &str)| {
            let folder = self.folders.iter().find(|it| it.0 == place)?;
            Some(folder.1.join(file))
        };
        let users: Vec<_> = source.files().filter_map(of_user).collect();
        let mut files = Vec::new();
        for (place, file) in source.files() {
            match of_user((place, file)) {
                Some(file) => files.push((file, project[0], false)),
                None => files.extend(project.iter().map(|it| (it.join(file), *it, true))),
            }
        }
        files.retain(|(file, _, is_of_project)| !is_of_project || !users.contains(file));
        files
    }

    /// The folders whose files belong to the project of `folder`, innermost first. The last folder
    /// is the root of the repository. Without a repository, it is the last one below the home
    /// folder.
    pub(crate) fn project<'a>(&self, folder: &'a Path) -> Vec<&'a Path> {
        let root = folder.ancestors().find(|it| it.join(".git").exists());
        let belongs = |it: &&Path| match root {
            Some(root) => it.starts_with(root),
            None => *it == folder || it.starts_with(&self.home) && *it != self.home,
        };
        folder.ancestors().take_while(belongs).collect()
    }
}
