//! Rules for the items of Rust files.
//!
//! Conditional compilation chooses whole modules: sprinkled over items, it makes combinations that
//! nobody compiles. `cfg!(debug_assertions)` is a condition like any other, as both of its branches
//! are always compiled. A `mod.rs` is a map: what is here, and where to find it. Functions fit a screen.

use super::violation::Violation;
use super::workspace::{File, Workspace};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Item, Visibility};

const CFG: &str = "cfg stands on `mod` and `pub use` only: \
                   put what depends on it into a module of its own";
const MAP: &str = "mod.rs is a map: move the item to a file of its own and re-export it";
const FUNCTION: &str =
    "functions have at most 60 lines: name its parts, and make functions of them";

/// Longest function.
const FUNCTION_LINES: usize = 60;

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        let mut search = Search { file, violations };
        for item in &file.items {
            let is_module = matches!(item, Item::Mod(module) if is_whole(module));
            if file.name() == "mod.rs" && !is_module && !matches!(item, Item::Use(_)) {
                search.object(item, "more than `mod` and `use`", MAP);
            }
            search.visit_item(item);
        }
    }
}

struct Search<'a> {
    file: &'a File,
    violations: &'a mut Vec<Violation>,
}

impl Search<'_> {
    fn object(&mut self, at: &impl Spanned, found: &str, rule: &'static str) {
        let line = at.span().start().line;
        let violation = Violation::new(self.file, line, found.to_owned(), rule);
        self.violations.push(violation);
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_whole(module) => {}
            Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if is_cfg(attribute) {
            self.object(attribute, "`cfg` on something else", CFG);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("cfg") && call.tokens.to_string() != "debug_assertions" {
            self.object(call, "`cfg!` in an expression", CFG);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let lines = block.span().end().line - block.span().start().line + 1;
        if lines > FUNCTION_LINES {
            self.object(block, &format!("{lines} lines"), FUNCTION);
        }
        visit::visit_block(self, block);
    }
}

/// A module that is a file, or, like the tests in a file, compiled as a whole or not at all.
fn is_whole(module: &syn::ItemMod) -> bool {
    module.content.is_none() || module.attrs.iter().any(is_cfg)
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    #[test]
    fn modules_and_public_uses_may_depend_on_features() {
        let clean = "#![cfg_attr(docsrs, feature(doc_cfg))]\n\
            #[cfg(feature = \"a\")]\nmod a;\n\
            #[cfg(feature = \"a\")]\npub use a::A;\n\
            #[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    fn f() {}\n}\n\
            fn g() -> bool {\n    cfg!(debug_assertions)\n}\n\
            #[cfg_attr(unix, path = \"unix.rs\")]\nmod platform;\n";
        assert!(places(check, &[("x/src/lib.rs", clean)]).is_empty());
        assert!(places(check, &[("x/tests/a.rs", "#[cfg(unix)]\nfn f() {}")]).is_empty());
    }

    #[test]
    fn nothing_else_may() {
        let source = "#[cfg(unix)]\nfn f() {\n    #[cfg(windows)]\n    g();\n    if cfg!(test) {}\n}\n\
            #[cfg(unix)]\nuse a::B;\n\
            struct S {\n    #[cfg(unix)]\n    x: u8,\n}\n";
        assert_eq!(
            places(check, &[("x/src/lib.rs", source)]),
            [1, 3, 5, 7, 10].map(|line| format!("x/src/lib.rs:{line}"))
        );
    }

    #[test]
    fn a_map_has_modules_and_uses_only() {
        let map = "//! Doc.\n\nmod a;\npub mod b;\npub use a::A;\n#[cfg(test)]\nmod tests {}\n";
        assert!(places(check, &[("x/src/y/mod.rs", map)]).is_empty());
        let more = "mod a;\n\nfn f() {}\nmod b { fn g() {} }\n";
        assert_eq!(
            places(check, &[("x/src/y/mod.rs", more), ("x/src/lib.rs", more)]),
            ["x/src/y/mod.rs:3", "x/src/y/mod.rs:4"]
        );
    }

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
}
