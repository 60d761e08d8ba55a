//! Files as modules: their parents and children, and the files that they import.

use super::names::Named;
use super::workspace::{File, Workspace};
use quote::ToTokens;
use syn::{Item, ItemMod};

/// Longest chain of re-exports that is followed.
const MAX_REEXPORTS: usize = 8;

/// The module that has the `mod` line of `file`; none for a crate.
pub(super) fn parent<'a>(workspace: &'a Workspace, file: &File) -> Option<&'a File> {
    let folder = match file.name() {
        "lib.rs" | "main.rs" => return None,
        "mod.rs" => file.folder().rsplit_once('/')?.0,
        _ => file.folder(),
    };
    let ends = ["/mod.rs", ".rs", "/lib.rs", "/main.rs"];
    let mut files = ends
        .iter()
        .filter_map(|end| workspace.get(&format!("{folder}{end}")));
    files.find(|it| it.path != file.path)
}

/// Whether a `cfg` on its `mod` line chooses `file`.
pub(super) fn is_conditional(workspace: &Workspace, file: &File) -> bool {
    parent(workspace, file).is_some_and(|parent| {
        mods(parent).any(|item| {
            let (is_conditional, paths) = paths(parent, item);
            is_conditional && paths.contains(&file.path)
        })
    })
}

/// Files with items that `file` names. Children of a `mod.rs` or of a crate do not count there.
pub(super) fn imports<'a>(workspace: &'a Workspace, file: &'a File) -> Vec<&'a File> {
    let found = file
        .names()
        .iter()
        .flat_map(|name| of(workspace, file, name));
    let is_map = matches!(file.name(), "lib.rs" | "main.rs" | "mod.rs");
    let is_child = |it: &File| is_map && it.path.starts_with(&format!("{}/", file.folder()));
    found.filter(|it| !is_child(it)).collect()
}

/// The files with the item that `name` names in `file`, which is `file` itself for an item of another
/// crate.
pub(super) fn of<'a>(workspace: &'a Workspace, file: &'a File, name: &Named) -> Vec<&'a File> {
    find(workspace, file, &name.segments, MAX_REEXPORTS)
}

/// The files with the item that `path` names in the module `at`: `at` itself for an item of its own
/// or of another crate, and several if a `cfg` chooses between them.
fn find<'a>(
    workspace: &'a Workspace,
    at: &'a File,
    path: &[String],
    reexports: usize,
) -> Vec<&'a File> {
    let Some((first, rest)) = path.split_first() else {
        return vec![at];
    };
    let up = |it: &&'a File| parent(workspace, it);
    let next: Vec<_> = match first.as_str() {
        "crate" => std::iter::successors(Some(at), up)
            .last()
            .into_iter()
            .collect(),
        "self" => vec![at],
        "super" => up(&at).into_iter().collect(),
        name => mods(at)
            .filter(|item| item.ident == name)
            .flat_map(|item| paths(at, item).1)
            .filter_map(|path| workspace.get(&path))
            .collect(),
    };
    if !next.is_empty() {
        let next = next.into_iter();
        return next
            .flat_map(|it| find(workspace, it, rest, reexports))
            .collect();
    }
    let mut names = at.names().iter();
    match names.find(|it| it.alias.as_ref() == Some(first)) {
        Some(import) if reexports > 0 => {
            let path = [&import.segments, rest].concat();
            find(workspace, at, &path, reexports - 1)
        }
        _ => vec![at],
    }
}

fn mods(file: &File) -> impl Iterator<Item = &ItemMod> {
    file.items().iter().filter_map(|item| match item {
        Item::Mod(item) if item.content.is_none() => Some(item),
        _ => None,
    })
}

/// Whether a `cfg` chooses the module `item` of `file`, and the paths that its file may have.
fn paths(file: &File, item: &ItemMod) -> (bool, Vec<String>) {
    let attributes = item.attrs.iter();
    let texts = attributes.map(|it| it.meta.to_token_stream().to_string());
    let texts: Vec<_> = texts.filter(|text| !text.starts_with("doc")).collect();
    let chosen = texts.iter().filter_map(|text| {
        let (_, path) = text.split_once("path = \"")?;
        Some(format!("{}/{}", file.folder(), path.split('"').next()?))
    });
    let chosen: Vec<_> = chosen.collect();
    let folder = match file.name() {
        "lib.rs" | "main.rs" | "mod.rs" => file.folder(),
        _ => file.path.trim_end_matches(".rs"),
    };
    let usual = ["", "/mod"].map(|end| format!("{folder}/{}{end}.rs", item.ident));
    let is_conditional = !chosen.is_empty() || texts.iter().any(|text| text.starts_with("cfg ("));
    (is_conditional, chosen.into_iter().chain(usual).collect())
}
