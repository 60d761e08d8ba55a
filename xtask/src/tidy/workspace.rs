//! The files of the workspace, which are read once.

use super::names::{Named, is_test_module, names};
use anyhow::anyhow;
use itertools::Itertools;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use syn::spanned::Spanned;

/// Folders without sources of this project.
const SKIPPED: &[&str] = &[
    ".git",
    "artifacts",
    "corpus",
    "coverage",
    "node_modules",
    "target",
];

pub(crate) struct Workspace {
    /// By path.
    pub(super) files: BTreeMap<String, File>,
}

pub(crate) struct File {
    /// Path from the root, with `/` between its components.
    pub(crate) path: String,
    /// The text; empty if the file is not UTF-8.
    pub(crate) text: String,
    /// The items of a Rust file; empty for tests, and for invalid files, which the compiler reports.
    pub(crate) items: Vec<syn::Item>,
    /// The paths in a Rust file outside of test modules.
    pub(super) names: Vec<Named>,
}

impl Workspace {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let failed = |error| anyhow!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let path = entry.path();
                if !entry.file_type().map_err(failed)?.is_dir() {
                    let text = String::from_utf8(std::fs::read(&path).map_err(failed)?);
                    let parts = path.strip_prefix(root)?.iter().map(OsStr::to_string_lossy);
                    files.push(File::new(
                        parts.format("/").to_string(),
                        text.unwrap_or_default(),
                    ));
                } else if !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                    folders.push(path);
                }
            }
        }
        Ok(Self::new(files))
    }

    pub(crate) fn new(files: Vec<File>) -> Self {
        let files = files.into_iter().map(|file| (file.path.clone(), file));
        Self {
            files: files.collect(),
        }
    }

    /// Returns all Rust files, including tests and generated files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files
            .values()
            .filter(|file| file.path.ends_with(".rs"))
    }

    /// Returns the Rust files without tests and generated files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &File> {
        let rust = self.rust();
        rust.filter(|file| !file.is_test() && !file.is_generated())
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        let mut paths = self.files.keys().map(Path::new);
        paths.any(|file| file.starts_with(path))
    }
}

impl File {
    pub(crate) fn new(path: String, text: String) -> Self {
        let mut file = Self {
            path,
            text,
            items: Vec::new(),
            names: Vec::new(),
        };
        if file.path.ends_with(".rs") && !file.is_test() {
            file.items = syn::parse_file(&file.text).map_or(Vec::new(), |syntax| syntax.items);
            file.names = names(&file.items);
        }
        file
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the path without its last component; empty at the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns true for tests, benchmarks and fuzz targets.
    pub(crate) fn is_test(&self) -> bool {
        let mut folders = self.folder().split('/');
        folders.any(|folder| matches!(folder, "benches" | "fuzz" | "tests"))
            || matches!(self.name(), "tests.rs" | "test.rs")
    }

    pub(crate) fn is_generated(&self) -> bool {
        self.folder().split('/').any(|folder| folder == "generated")
    }

    /// Returns the lines of code outside of test modules, with their numbers from 1.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let modules = self.items.iter().filter(|item| is_test_module(item));
        let tests: Vec<_> = modules
            .map(|item| item.span().start().line..=item.span().end().line)
            .collect();
        (1..).zip(self.text.lines()).filter(move |(number, line)| {
            let line = line.trim_start();
            let is_test = tests.iter().any(|lines| lines.contains(number));
            !line.is_empty() && !line.starts_with("//") && !is_test
        })
    }
}

#[cfg(test)]
mod tests {
    use super::File;

    #[test]
    fn only_code_outside_tests_counts() {
        let text = "//! Doc.\n\nuse a; // one\n/// Doc.\nfn f() {\n    // why\n    g();\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let file = File::new("a/src/b.rs".to_owned(), text.to_owned());
        let lines: Vec<_> = file.code().map(|(number, _)| number).collect();
        assert_eq!(lines, [3, 5, 7, 8]);
    }
}
