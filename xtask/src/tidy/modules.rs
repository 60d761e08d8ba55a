//! Files as modules: their parents and children, and the files that they import.

use super::names::Named;
use super::workspace::{File, Workspace};

/// Longest chain of re-exports that is followed.
const MAX_REEXPORTS: usize = 8;

/// The file with the item that `name` names in `file`, which is `file` itself for an item of another
/// crate.
pub(super) fn of<'a>(workspace: &'a Workspace, file: &'a File, name: &Named) -> &'a File {
    find(workspace, file, &name.segments, MAX_REEXPORTS)
}

/// The file with the item that `path` names in the module `at`, which is `at` itself for an item of
/// its own or of another crate.
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

/// True where modules are files of the same folder.
pub(super) fn is_map(file: &File) -> bool {
    matches!(file.name(), "lib.rs" | "main.rs" | "mod.rs")
}

/// The module that has the `mod` line of `file`; none for a crate.
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

/// The module `name` of `file`, where the file is named after it.
fn child<'a>(workspace: &'a Workspace, file: &File, name: &str) -> Option<&'a File> {
    let folder = if is_map(file) {
        file.folder()
    } else {
        file.path.trim_end_matches(".rs")
    };
    let mut ends = ["", "/mod"].iter();
    ends.find_map(|end| workspace.files.get(&format!("{folder}/{name}{end}.rs")))
}
