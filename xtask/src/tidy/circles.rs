//! Limits circular imports between the files of a crate, so that a reader has a place to begin.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;

use super::workspace::Workspace;
use super::{Violation, modules};

const CIRCLE: &str = "at most two files import each other in a circle: \
                      move what they share to a file below them, or merge them";

/// Circular imports that the types require: a server has handlers that take a context, and the context
/// has the server. A server has hooks that take the server, and may serve raw requests with their
/// context. The traits of extensions take the builder or the client that has the extensions.
const FORCED: [(&str, &str); 7] = [
    (
        "mcp-runtime/src/client/extension.rs",
        "mcp-runtime/src/client/client.rs",
    ),
    (
        "mcp-runtime/src/server/extensions/extension.rs",
        "mcp-runtime/src/server/builder.rs",
    ),
    (
        "mcp-runtime/src/server/context/core.rs",
        "mcp-runtime/src/server/server.rs",
    ),
    (
        "mcp-runtime/src/server/context/detached.rs",
        "mcp-runtime/src/server/server.rs",
    ),
    (
        "mcp-runtime/src/server/context/from_context.rs",
        "mcp-runtime/src/server/server.rs",
    ),
    (
        "mcp-runtime/src/server/raw.rs",
        "mcp-runtime/src/server/dispatch/request.rs",
    ),
    (
        "mcp-runtime/src/server/serve/hooks.rs",
        "mcp-runtime/src/server/server.rs",
    ),
];

/// The files that each file imports, by path. Each `mod.rs` and the root of a crate are left out, because
/// they import all files below them. An import of a re-export leads to the file with the item.
pub(super) type Imports<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    let mut imports = Imports::new();
    for file in workspace.sources().filter(|file| !modules::is_map(file)) {
        let path = file.path.as_str();
        let names = file.names.iter();
        let imported = names.map(|name| modules::of(workspace, file, name).path.as_str());
        let imported = imported.filter(|it| !FORCED.contains(&(path, *it)));
        imports.insert(path, imported.collect());
    }
    for file in workspace.sources() {
        let path = file.path.as_str();
        let mut circle = reachable(&imports, path);
        circle.retain(|it| reachable(&imports, it).contains(path));
        if circle.len() > 2 && circle.first() == Some(&path) {
            let found = format!("{} files: {}", circle.len(), circle.iter().join(", "));
            violations.push(Violation::new(file, 1, found, CIRCLE));
        }
    }
}

/// Returns all files to which the map leads from `from`.
pub(super) fn reachable<'a>(imports: &Imports<'a>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left = vec![from];
    while let Some(next) = left.pop() {
        let next = imports.get(next).into_iter().flatten();
        left.extend(next.filter(|it| reached.insert(**it)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    const ROOT: &str = "mod a;\nmod b;\nmod c;\npub use a::A;\n";

    /// Returns the violations in a crate with these three files.
    fn circles(a: &str, b: &str, c: &str) -> Vec<String> {
        let files = [
            ("x/src/lib.rs", ROOT),
            ("x/src/a.rs", a),
            ("x/src/b.rs", b),
            ("x/src/c.rs", c),
        ];
        places(check, &files)
    }

    #[test]
    fn two_files_may_import_each_other() {
        assert!(circles("use crate::b::B;", "use super::a::A;", "use crate::a::A;").is_empty());
    }

    #[test]
    fn three_files_may_not_however_they_name_each_other() {
        let circle = ["x/src/a.rs:1"];
        let by_super = "fn f() { super::c::g() }";
        assert_eq!(
            circles("use crate::b;", by_super, "use crate::a::A;"),
            circle
        );
        // The imports go through a re-export and through a path in a macro.
        let by_macro = "fn f() { g!(crate::c::C) }";
        assert_eq!(
            circles("use crate::b::B as D;", by_macro, "use crate::A;"),
            circle
        );
        // The import goes through an imported module.
        let by_module = "use crate::c;\nfn f() { c::g() }";
        assert_eq!(
            circles("use crate::b::B;", by_module, "use super::a;"),
            circle
        );
    }

    #[test]
    fn tests_other_crates_and_own_names_are_not_imports() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
        assert!(circles("use crate::b::B;", "use super::c::C;", tests).is_empty());
        assert!(circles("use crate::b::B;", "use super::c::C;", "use other::a::A;").is_empty());
        assert!(circles("use crate::b::B;", "use super::c::C;", "fn f() { a::b() }").is_empty());
    }

    #[test]
    fn maps_import_none_of_their_children() {
        let files = [
            ("x/src/lib.rs", "mod y;\n"),
            (
                "x/src/y/mod.rs",
                "mod a;\nmod b;\npub use a::A;\npub use b::B;\n",
            ),
            ("x/src/y/a.rs", "use super::*;\n"),
            ("x/src/y/b.rs", "use crate::y;\n"),
        ];
        assert!(places(check, &files).is_empty());
    }
}
