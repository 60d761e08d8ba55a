//! Files and functions that fit into a head.

use super::modules::is_conditional;
use super::names::is_test_only;
use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Item, Visibility};

/// Lines of a file, its tests included.
const FILE_LINES: RangeInclusive<usize> = 80..=500;

/// Longest function.
const FUNCTION_LINES: usize = 60;

const LONG: Rule = Rule {
    name: "files have at most 500 lines",
    mend: "split it by concept",
};

const SHORT: Rule = Rule {
    name: "files have at least 80 lines",
    mend: "move it to the file of the concept that it belongs to",
};

const FUNCTION: Rule = Rule {
    name: "functions have at most 60 lines",
    mend: "name its parts, and make functions of them",
};

/// The crate whose files are measured.
const MEASURED: &str = "mcp-runtime/src/";

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    check_files(workspace, violations);
    for file in workspace.sources() {
        let Some(syntax) = file.syntax() else {
            continue;
        };
        let mut functions = Functions { file, violations };
        functions.visit_file(syntax);
    }
}

fn check_files(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        let lines = file.text.lines().count();
        if !file.path.starts_with(MEASURED) {
            continue;
        }
        if lines > *FILE_LINES.end() {
            violations.push(LONG.broken(file, *FILE_LINES.end(), format!("{lines} lines")));
        }
        let is_free = matches!(file.name(), "mod.rs" | "lib.rs")
            || is_conditional(workspace, file)
            || is_public_type(file);
        if lines < *FILE_LINES.start() && !is_free {
            violations.push(SHORT.broken(file, lines, format!("{lines} lines")));
        }
    }
}

/// Whether the file has one type, which is public.
fn is_public_type(file: &File) -> bool {
    let items = file.items().iter();
    let types: Vec<_> = items
        .filter_map(|item| match item {
            Item::Enum(item) => Some(&item.vis),
            Item::Struct(item) => Some(&item.vis),
            Item::Trait(item) => Some(&item.vis),
            Item::Type(item) => Some(&item.vis),
            _ => None,
        })
        .collect();
    matches!(types[..], [Visibility::Public(_)])
}

struct Functions<'a> {
    file: &'a File,
    violations: &'a mut Vec<Violation>,
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test_only(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    /// Bodies of functions; blocks inside of them are shorter.
    fn visit_block(&mut self, block: &'ast Block) {
        let first = block.span().start().line;
        let lines = block.span().end().line - first + 1;
        if lines > FUNCTION_LINES {
            let found = format!("{lines} lines");
            self.violations
                .push(FUNCTION.broken(self.file, first, found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    g();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_named_outside_tests() {
        let long = function("f", FUNCTION_LINES + 1);
        let fits = function("f", FUNCTION_LINES);
        let inside = format!("struct S;\nimpl S {{\n{long}}}\n");
        let test = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        let files = [
            ("a/src/long.rs", long.as_str()),
            ("a/src/fits.rs", &fits),
            ("a/src/method.rs", &inside),
            ("a/src/test.rs", &long),
            ("a/src/within.rs", &test),
            ("a/src/generated/model.rs", &long),
        ];
        assert_eq!(
            places(check, &files),
            ["a/src/long.rs:1", "a/src/method.rs:3"]
        );
    }

    const ROOT: &str = "mod a;\nmod b;\n#[cfg(unix)]\nmod unix;\n\
        #[cfg_attr(unix, path = \"c.rs\")]\nmod other;\n#[cfg(test)]\nmod tests;\n";

    fn sized(crates: &str, a: &str, b: &str) -> Vec<String> {
        let path = |name: &str| format!("{crates}/src/{name}.rs");
        let files = [
            (path("lib"), ROOT),
            (path("a"), a),
            (path("b"), b),
            (path("unix"), "fn f() {}\n"),
            (path("c"), "fn f() {}\n"),
            (path("tests"), "fn f() {}\n"),
        ];
        let files: Vec<_> = files
            .iter()
            .map(|(it, text)| (it.as_str(), *text))
            .collect();
        places(check, &files)
    }

    #[test]
    fn files_are_neither_long_nor_short() {
        let fits = "use a;\n".repeat(80);
        assert!(sized("mcp-runtime", &fits, &"use a;\n".repeat(500)).is_empty());
        assert_eq!(
            sized(
                "mcp-runtime",
                &"use a;\n".repeat(79),
                &"use a;\n".repeat(501)
            ),
            ["mcp-runtime/src/a.rs:79", "mcp-runtime/src/b.rs:500"]
        );
        assert!(sized("xtask", "use a;\n", &fits).is_empty());
    }

    #[test]
    fn a_public_type_may_be_alone() {
        let alone = "use a;\npub struct A;\nimpl A {}\npub fn a() {}\n";
        assert!(sized("mcp-runtime", alone, alone).is_empty());
        let (private, two) = ("pub(crate) struct A;\n", "pub struct A;\nstruct B;\n");
        assert_eq!(
            sized("mcp-runtime", private, two),
            ["mcp-runtime/src/a.rs:1", "mcp-runtime/src/b.rs:2"]
        );
    }
}
