//! Rules for the items of Rust files.
//!
//! `cfg` applies to whole items: within functions, it would lead to combinations that are never compiled.
//! The replacement of an item in builds without a feature has only a few lines; longer replacements are
//! modules. `cfg!(debug_assertions)` is allowed, because both branches are always compiled. A `mod.rs`
//! has only the modules and small types of its folder. Functions fit on a screen.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, Item, Meta};

use super::Violation;
use super::workspace::{File, Workspace};

const CFG: &str = "`cfg` applies to items only: move the conditional code to a separate item";
const REPLACEMENT: &str = "what replaces an item has at most 10 lines: \
                           put both into modules that `cfg` chooses";
const MAP: &str = "mod.rs is a map, whose functions have at most 10 lines: \
                   move longer ones to files of their own";
const FUNCTION: &str =
    "functions have at most 60 lines: name its parts, and make functions of them";

/// Maximum lines of an item with `cfg(not(…))` that is not a module.
const REPLACEMENT_LINES: usize = 10;

/// Maximum lines of a function in a `mod.rs`.
const MAP_LINES: usize = 10;

/// Maximum lines of a function in any other file.
const FUNCTION_LINES: usize = 60;

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        let in_function = false;
        let mut search = Search {
            file,
            in_function,
            violations,
        };
        file.items.iter().for_each(|item| search.visit_item(item));
    }
}

struct Search<'a> {
    file: &'a File,
    in_function: bool,
    violations: &'a mut Vec<Violation>,
}

impl Search<'_> {
    fn object(&mut self, at: &impl Spanned, found: &str, rule: &'static str) {
        let line = at.span().start().line;
        let violation = Violation::new(self.file, line, found.to_owned(), rule);
        self.violations.push(violation);
    }

    fn check_replacement(&mut self, attributes: &[Attribute], item: &impl Spanned) {
        let Some(cfg) = attributes.iter().find(|it| is_negative(it)) else {
            return;
        };
        let last = attributes.last().unwrap_or(cfg);
        let lines = item.span().end().line - last.span().end().line;
        if lines > REPLACEMENT_LINES {
            self.object(cfg, &format!("{lines} lines"), REPLACEMENT);
        }
    }

    /// Returns the maximum lines of a function in the file, and the rule about them.
    fn longest(&self) -> (usize, &'static str) {
        if self.file.name() == "mod.rs" {
            (MAP_LINES, MAP)
        } else {
            (FUNCTION_LINES, FUNCTION)
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_whole(module) => return,
            Item::Fn(function) => self.check_replacement(&function.attrs, function),
            Item::Impl(block) => self.check_replacement(&block.attrs, block),
            Item::Struct(item) => self.check_replacement(&item.attrs, item),
            Item::Trait(item) => self.check_replacement(&item.attrs, item),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.check_replacement(&function.attrs, function);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if self.in_function && is_cfg(attribute) {
            self.object(attribute, "`cfg` within a function", CFG);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("cfg") && call.tokens.to_string() != "debug_assertions" {
            self.object(call, "`cfg!` in an expression", CFG);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let lines = block.span().end().line - block.span().start().line + 1;
        let (longest, rule) = self.longest();
        if lines > longest {
            self.object(block, &format!("{lines} lines"), rule);
        }
        let is_outer = !std::mem::replace(&mut self.in_function, true);
        visit::visit_block(self, block);
        self.in_function = !is_outer;
    }
}

/// Returns true for a module that is a file, or that has `cfg`, such as the tests in a file.
fn is_whole(module: &syn::ItemMod) -> bool {
    module.content.is_none() || module.attrs.iter().any(is_cfg)
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Returns true if the attribute is `cfg(not(…))`.
fn is_negative(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else {
        return false;
    };
    is_cfg(attribute) && list.tokens.to_string().starts_with("not")
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    #[test]
    fn items_may_depend_on_features() {
        let clean = "#![cfg_attr(docsrs, feature(doc_cfg))]\n\
            #[cfg(feature = \"a\")]\nmod a;\n\
            #[cfg(feature = \"a\")]\nuse a::A;\n\
            #[cfg(not(unix))]\nfn f() {\n    g();\n}\n\
            impl A {\n    #[cfg(unix)]\n    fn f() {}\n}\n\
            #[cfg(test)]\nmod tests {\n    fn f() {\n        #[cfg(unix)]\n        g();\n    }\n}\n\
            fn g() -> bool {\n    cfg!(debug_assertions)\n}\n\
            #[cfg_attr(unix, path = \"unix.rs\")]\nmod platform;\n";
        assert!(places(check, &[("x/src/lib.rs", clean)]).is_empty());
        let test = "fn f() {\n    #[cfg(unix)]\n    g();\n}";
        assert!(places(check, &[("x/tests/a.rs", test)]).is_empty());
    }

    #[test]
    fn the_inside_of_functions_may_not() {
        let source = "#[cfg(unix)]\nfn f() {\n    #[cfg(windows)]\n    g();\n    if cfg!(test) {}\n}\n\
            impl A {\n    fn f() {\n        #[cfg(unix)]\n        use a::B;\n    }\n}\n";
        assert_eq!(
            places(check, &[("x/src/lib.rs", source)]),
            [3, 5, 9].map(|line| format!("x/src/lib.rs:{line}"))
        );
    }

    #[test]
    fn a_long_replacement_is_a_module() {
        let long = function("f", REPLACEMENT_LINES + 1);
        let source = format!("#[cfg(unix)]\n{long}#[cfg(not(unix))]\n/// Doc.\n{long}");
        let line = REPLACEMENT_LINES + 3;
        assert_eq!(
            places(check, &[("x/src/lib.rs", &*source)]),
            [format!("x/src/lib.rs:{line}")]
        );
    }

    #[test]
    fn a_map_has_no_long_functions() {
        let long = function("f", MAP_LINES + 1);
        let map = format!(
            "mod a;\npub use a::A;\nstruct S;\n{}{long}",
            function("g", 10)
        );
        let files = [("x/src/y/mod.rs", &*map), ("x/src/lib.rs", &*map)];
        assert_eq!(places(check, &files), ["x/src/y/mod.rs:14"]);
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
