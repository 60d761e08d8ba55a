//! The tree under check, read once.

use super::names::{Named, is_test_only, names};
use std::cell::OnceCell;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use syn::spanned::Spanned;

/// Folders that hold no source of ours.
const SKIPPED: &[&str] = &[
    ".git",
    "artifacts",
    "corpus",
    "coverage",
    "node_modules",
    "target",
];

/// Kinds of files that the rules look at.
const TEXT: &[&str] = &["json", "md", "rs", "sh", "toml", "yaml", "yml"];

/// Every text file of the workspace.
pub(crate) struct Workspace {
    files: Vec<File>,
}

/// One text file.
pub(crate) struct File {
    /// Path from the root, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) text: String,
    syntax: OnceCell<Option<syn::File>>,
    names: OnceCell<Vec<Named>>,
}

impl Workspace {
    /// Reads the tree at `root`.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        Ok(Self::new(files))
    }

    pub(crate) fn new(mut files: Vec<File>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// Rust files, tests and generated ones included.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    /// Rust files that people wrote and that ship: no tests, nothing generated.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &File> {
        self.rust()
            .filter(|file| !file.is_test() && !file.is_generated())
    }

    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        let index = self.files.binary_search_by(|it| it.path.as_str().cmp(path));
        index.ok().map(|index| &self.files[index])
    }

    /// True for a file, or a folder with files in it.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.get(path).is_some()
            || self.files.iter().any(|file| file.path.starts_with(&folder))
    }
}

impl File {
    pub(crate) fn new(path: String, text: String) -> Self {
        Self {
            path,
            text,
            syntax: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.path
            .rsplit_once('.')
            .is_some_and(|(_, it)| it == extension)
    }

    /// Last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Path without its last part; empty at the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// True for tests, benchmarks and fuzz targets.
    pub(crate) fn is_test(&self) -> bool {
        let mut folders = self.folder().split('/');
        folders.any(|folder| matches!(folder, "benches" | "fuzz" | "tests"))
            || matches!(self.name(), "tests.rs" | "test.rs")
    }

    pub(crate) fn is_generated(&self) -> bool {
        self.folder().split('/').any(|folder| folder == "generated")
    }

    /// Lines of the test modules inside the file, counted from 1.
    pub(crate) fn test_lines(&self) -> Vec<RangeInclusive<usize>> {
        let modules = self.items().iter().filter_map(|item| match item {
            syn::Item::Mod(module) if is_test_only(&module.attrs) => Some(module.span()),
            _ => None,
        });
        modules
            .map(|span| span.start().line..=span.end().line)
            .collect()
    }

    /// The parsed file; `None` where it is no valid Rust, which is the
    /// compiler's to say.
    pub(crate) fn syntax(&self) -> Option<&syn::File> {
        let parse = || syn::parse_file(&self.text).ok();
        self.syntax.get_or_init(parse).as_ref()
    }

    /// The items of the parsed file.
    pub(crate) fn items(&self) -> &[syn::Item] {
        self.syntax().map_or(&[], |syntax| &syntax.items)
    }

    /// The paths that the file names outside its test modules.
    pub(super) fn names(&self) -> &[Named] {
        let find = || self.syntax().map(names).unwrap_or_default();
        self.names.get_or_init(find)
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) -> io::Result<()> {
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type().map_err(failed)?.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                collect(&entry.path(), &format!("{path}/"), files)?;
            }
            continue;
        }
        // What is not text counts only by its name.
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let text = if TEXT.contains(&extension) || prefix == ".ci/" {
            std::fs::read_to_string(entry.path()).map_err(failed)?
        } else {
            String::new()
        };
        files.push(File::new(path, text));
    }
    Ok(())
}
