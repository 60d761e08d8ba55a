//! The modules of files: parents, children and imports.

use super::names::Named;
use super::workspace::{File, Workspace};

/// Maximum length of a chain of re-exports.
const MAX_REEXPORTS: usize = 8;

/// Returns the file with the item that `name` refers to in `file`. For an item of another crate, this is
/// `file` itself.
pub(super) fn of<'a>(workspace: &'a Workspace, file: &'a File, name: &Named) -> &'a File {
    find(workspace, file, &name.segments, MAX_REEXPORTS)
}

/// Returns the file with the item that `path` refers to in the module `at`. For an item of `at` or of
/// another crate, this is `at` itself.
fn find<'a>(workspace: &'a Workspace, at: &'a File, path: &[String], reexports: usize) -> &'a File {
    let Some((first, rest)) = path.split_first() else {
        return at;
    };
    let up = |it: &&'a File| parent(workspace, it);
    let next = match first.as_str() {
        "crate" => std::iter::successors(Some(at), up).last(),
        "self" => Some(at),
        "super" => up(&at),
        name => child(workspace, at, name),
    };
    if let Some(next) = next {
        return find(workspace, next, rest, reexports);
    }
    let mut names = at.names.iter();
    match names.find(|it| it.alias.as_ref() == Some(first)) {
        Some(import) if reexports > 0 => {
            let path = [&import.segments, rest].concat();
            find(workspace, at, &path, reexports - 1)
        }
        _ => at,
    }
}

/// Returns true if the modules of the file are files of the same folder.
pub(super) fn is_map(file: &File) -> bool {
    matches!(file.name(), "lib.rs" | "main.rs" | "mod.rs")
}

/// Returns the module that declares `file`; `None` for the root of a crate.
fn parent<'a>(workspace: &'a Workspace, file: &File) -> Option<&'a File> {
    let folder = match file.name() {
        "lib.rs" | "main.rs" => return None,
        "mod.rs" => file.folder().rsplit_once('/')?.0,
        _ => file.folder(),
    };
    let ends = ["/mod.rs", ".rs", "/lib.rs", "/main.rs"].iter();
    let mut files = ends.filter_map(|end| workspace.files.get(&format!("{folder}{end}")));
    files.find(|it| it.path != file.path)
}

/// Returns the file of the module `name` of `file`, if it is a separate file.
fn child<'a>(workspace: &'a Workspace, file: &File, name: &str) -> Option<&'a File> {
    let folder = if is_map(file) {
        file.folder()
    } else {
        file.path.trim_end_matches(".rs")
    };
    let mut ends = ["", "/mod"].iter();
    ends.find_map(|end| workspace.files.get(&format!("{folder}/{name}{end}.rs")))
}
