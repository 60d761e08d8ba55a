//! The folders of a user, with files of all sources.

use std::env::consts::OS;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_config::Servers;
use tempfile::TempDir;

/// A user's home folder, and a project in it.
pub(crate) struct User {
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    _folder: TempDir,
}

impl User {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let project = home.join("work/project");
        fs::create_dir_all(&project).unwrap();
        Self {
            home,
            project,
            _folder: folder,
        }
    }

    /// A user with the files in `tests/files`.
    pub(crate) fn of_all_clients() -> Self {
        let user = Self::new();
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
        let (applications, config) = match OS {
            "macos" => ("Library/Application Support", ".config"),
            "windows" => ("AppData/Roaming", "AppData/Roaming"),
            _ => (".config", ".config"),
        };
        for (from, to) in [
            ("home", ""),
            ("applications", applications),
            ("config", config),
            ("codex", ".codex"),
            ("project", "work/project"),
        ] {
            user.copy(&files.join(from), &user.home.join(to));
        }
        user
    }

    /// Copies a folder, and replaces `PROJECT` by the path of the project, escaped for JSON and
    /// TOML.
    fn copy(&self, from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &to);
            } else {
                let text = fs::read_to_string(entry.path()).unwrap();
                let project = self.project.display().to_string().replace('\\', r"\\");
                fs::write(to, text.replace("PROJECT", &project)).unwrap();
            }
        }
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn servers(&self) -> Servers {
        Servers::find_in(&self.project, &self.home)
    }
}
