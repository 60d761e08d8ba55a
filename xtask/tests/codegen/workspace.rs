//! A temporary copy of the generator's input.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// A folder with a copy of `schema/`.
pub(crate) struct Workspace {
    folder: PathBuf,
    /// Removes the folder when dropped.
    _temporary: Option<tempfile::TempDir>,
}

impl Workspace {
    /// Creates a workspace that is removed on drop.
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        Self::copied(temporary.path().to_path_buf(), Some(temporary))
    }

    /// Creates a workspace at a fixed path, so that cargo can reuse previous builds.
    pub(crate) fn fixed(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        Self::copied(folder, None)
    }

    fn copied(folder: PathBuf, temporary: Option<tempfile::TempDir>) -> Self {
        copy(&root().join("schema"), &folder.join("schema"));
        Self {
            folder,
            _temporary: temporary,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Runs a task in this folder. Returns its output, or its error.
    pub(crate) fn xtask(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.output(arguments);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        if output.status.success() {
            Ok(text(output.stdout))
        } else {
            Err(text(output.stderr))
        }
    }

    /// Runs a task in this folder, and returns its status and output.
    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let command = command.args(arguments).arg("--root").arg(self.path());
        command.output().unwrap()
    }

    /// Runs `codegen`, accepts all its proposals, and documents all items with one word.
    pub(crate) fn decide(&self) {
        let mut open = String::new();
        for _ in 0..4 {
            match self.xtask(&["codegen"]) {
                Ok(_) => return,
                Err(error) => open = error,
            }
            let asked = open.split("for information:").next().unwrap_or_default();
            let keys = asked.lines().filter(|line| line.contains("\"\" # "));
            let words = keys.map(|line| line.replace("\"\"", "\"Invented.\"") + "\n");
            if asked.contains("\n    [[") {
                self.paste(asked);
            } else {
                self.append("schema/docs.toml", &words.collect::<String>());
            }
        }
        panic!("{open}");
    }

    /// Returns the generated structs.
    pub(crate) fn model(&self) -> String {
        let file = self.path().join("mcp-types/src/generated/model.rs");
        std::fs::read_to_string(file).unwrap()
    }

    pub(crate) fn schemas(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.path().join("schema")).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files
            .filter(|file| file.extension().is_some_and(|it| it == "json"))
            .collect()
    }

    pub(crate) fn edit_schema(&self, revision: &str, edit: impl FnOnce(&mut Value)) {
        let file = self.path().join(format!("schema/{revision}.json"));
        let mut schema: Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        edit(&mut schema["$defs"]);
        std::fs::write(&file, schema.to_string()).unwrap();
    }

    /// Adds all requested entries to the overlay, each with a reason.
    pub(crate) fn paste(&self, asked: &str) {
        let asked = asked.split("for information:").next().unwrap_or_default();
        let lines = asked.lines().filter_map(|line| line.strip_prefix("    "));
        let entries: String = lines.map(|line| format!("{line}\n")).collect();
        let entries = entries.replace("reason = \"\"", "reason = \"Invented.\"");
        let entries = entries.replace("source = \"\"", "source = \"Invented.\"");
        self.append("schema/overlay.toml", &format!("\n{entries}"));
    }

    pub(crate) fn append(&self, file: &str, text: &str) {
        let file = self.path().join(file);
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, before + text).unwrap();
    }
}

/// Copies a folder, except for build outputs.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

pub(crate) fn generated(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = ["mcp-types/src/generated", "mcp-types/tests/exactness"]
        .map(|folder| root.join(folder))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            if text.starts_with("// @generated") {
                files.insert(file.strip_prefix(root).unwrap().to_path_buf(), text);
            }
        }
    }
    files
}
