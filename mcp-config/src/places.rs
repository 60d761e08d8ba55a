//! Where the files are.

use std::env::{self, consts::OS};
use std::path::{Path, PathBuf};

use crate::{ConfigError, Source};

/// The user's folders, below which the clients keep their files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Places {
    /// The home folder.
    pub home: PathBuf,
    /// The folder of settings of Claude Desktop and VS Code: `$XDG_CONFIG_HOME` or `~/.config`, on
    /// macOS `~/Library/Application Support`, on Windows `%APPDATA%`.
    pub applications: PathBuf,
    /// The folder of settings of Zed and Goose: `$XDG_CONFIG_HOME` or `~/.config`, on macOS as well,
    /// on Windows `%APPDATA%`.
    pub config: PathBuf,
    /// The folder of Codex: `$CODEX_HOME` or `~/.codex`.
    pub codex: PathBuf,
}

impl Places {
    /// The folders below a home folder, without regard to the environment.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self::with_variables(home.into(), |_| None)
    }

    /// The folders of the user who runs this process, by the environment: `HOME` (on Windows
    /// `USERPROFILE`), `XDG_CONFIG_HOME` (on Windows `APPDATA`) and `CODEX_HOME`.
    ///
    /// # Errors
    ///
    /// [`ConfigError::NoHome`].
    pub fn from_env() -> Result<Self, ConfigError> {
        let home = env::home_dir().ok_or(ConfigError::NoHome)?;
        Ok(Self::with_variables(home, |name| {
            env::var_os(name).map(PathBuf::from)
        }))
    }

    fn with_variables(home: PathBuf, variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let folder = |name, usual| {
            let folder = variable(name).filter(|it| it.is_absolute());
            folder.unwrap_or_else(|| home.join(usual))
        };
        let config = match OS {
            "windows" => folder("APPDATA", "AppData/Roaming"),
            _ => folder("XDG_CONFIG_HOME", ".config"),
        };
        Self {
            applications: match OS {
                "macos" => home.join("Library/Application Support"),
                _ => config.clone(),
            },
            config,
            codex: folder("CODEX_HOME", ".codex"),
            home,
        }
    }

    /// The files of a source, each with the folder that its programs run in, in order of precedence.
    pub(crate) fn files<'a>(
        &self,
        source: Source,
        project: &[&'a Path],
    ) -> Vec<(PathBuf, &'a Path)> {
        let mut files = Vec::new();
        let parts = |it: &'static String| it.split_once('/');
        for (place, file) in source.format().files.iter().filter_map(parts) {
            let place = match place {
                "home" => &self.home,
                "applications" => &self.applications,
                "config" => &self.config,
                "codex" => &self.codex,
                _ => {
                    files.extend(project.iter().map(|it| (it.join(file), *it)));
                    continue;
                }
            };
            files.extend(project.first().map(|it| (place.join(file), *it)));
        }
        files
    }

    /// The folders whose files belong to the project of `folder`, the innermost first: up to the
    /// root of its repository, or, without one, up to the home folder, which is not among them.
    pub(crate) fn project<'a>(&self, folder: &'a Path) -> Vec<&'a Path> {
        let root = folder.ancestors().find(|it| it.join(".git").exists());
        let belongs = |it: &&Path| match root {
            Some(root) => it.starts_with(root),
            None => *it == folder || it.starts_with(&self.home) && *it != self.home,
        };
        folder.ancestors().take_while(belongs).collect()
    }
}
