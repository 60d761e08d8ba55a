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
    #[must_use]
    pub fn new(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        let (applications, config) = match OS {
            "macos" => ("Library/Application Support", ".config"),
            "windows" => ("AppData/Roaming", "AppData/Roaming"),
            _ => (".config", ".config"),
        };
        Self {
            applications: home.join(applications),
            config: home.join(config),
            codex: home.join(".codex"),
            home,
        }
    }

    /// The folders of the user who runs this process, by the environment: `HOME` (on Windows
    /// `USERPROFILE`), `XDG_CONFIG_HOME`, `CODEX_HOME`, on Windows `APPDATA`.
    ///
    /// # Errors
    ///
    /// [`ConfigError::NoHome`].
    pub fn from_env() -> Result<Self, ConfigError> {
        let home = env::home_dir().filter(|it| it.is_absolute());
        let mut places = Self::new(home.ok_or(ConfigError::NoHome)?);
        let folder = |name| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|it| it.is_absolute())
        };
        let settings = folder(if OS == "windows" {
            "APPDATA"
        } else {
            "XDG_CONFIG_HOME"
        });
        if let Some(settings) = settings {
            if OS != "macos" {
                places.applications.clone_from(&settings);
            }
            places.config = settings;
        }
        if let Some(codex) = folder("CODEX_HOME") {
            places.codex = codex;
        }
        Ok(places)
    }

    /// The files of the user, of one source, in order of precedence.
    pub(crate) fn files(&self, source: Source) -> Vec<PathBuf> {
        let applications = |path| self.applications.join(path);
        match source {
            Source::Project => Vec::new(),
            Source::VsCode => ["Code", "Code - Insiders"]
                .map(|it| applications(it).join("User/mcp.json"))
                .into(),
            Source::Cursor => vec![self.home.join(".cursor/mcp.json")],
            Source::ClaudeCode => vec![self.home.join(".claude.json")],
            Source::ClaudeDesktop => vec![applications("Claude/claude_desktop_config.json")],
            Source::GeminiCli => vec![self.home.join(".gemini/settings.json")],
            Source::Codex => vec![self.codex.join("config.toml")],
            Source::Windsurf => vec![self.home.join(".codeium/windsurf/mcp_config.json")],
            Source::Zed => vec![self.config.join(match OS {
                "windows" => "Zed/settings.json",
                _ => "zed/settings.json",
            })],
            Source::Goose => vec![self.config.join(match OS {
                "windows" => "Block/goose/config/config.yaml",
                _ => "goose/config.yaml",
            })],
        }
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

/// The files of one source in a folder of a project, in order of precedence.
pub(crate) fn in_project(source: Source) -> &'static [&'static str] {
    match source {
        Source::Project => &[".mcp.json", "mcp.json"],
        Source::VsCode => &[".vscode/mcp.json"],
        Source::Cursor => &[".cursor/mcp.json"],
        Source::GeminiCli => &[".gemini/settings.json"],
        Source::Codex => &[".codex/config.toml"],
        Source::Zed => &[".zed/settings.json"],
        _ => &[],
    }
}
