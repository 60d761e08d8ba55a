//! Files and functions that fit into a head.

use super::names::is_test_only;
use super::violation::{Rule, Violation};
use super::workspace::Workspace;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Signature};

/// Longest file, tests not counted.
const FILE_LINES: usize = 400;

/// Longest function.
const FUNCTION_LINES: usize = 60;

const FILE: Rule = Rule {
    name: "files have at most 400 lines besides tests",
    mend: "split it by concept",
};

const FUNCTION: Rule = Rule {
    name: "functions have at most 60 lines",
    mend: "name its parts, and make functions of them",
};

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        let Some(syntax) = file.syntax() else {
            continue;
        };
        let tests: usize = file.test_lines().into_iter().map(Iterator::count).sum();
        let lines = file.text.lines().count() - tests;
        if lines > FILE_LINES {
            violations.push(FILE.broken(file, FILE_LINES, format!("{lines} lines")));
        }
        let mut functions = Functions { long: Vec::new() };
        functions.visit_file(syntax);
        for (name, line, lines) in functions.long {
            violations.push(FUNCTION.broken(file, line, format!("`{name}`: {lines} lines")));
        }
    }
}

struct Functions {
    /// Name, first line and length of each long function.
    long: Vec<(String, usize, usize)>,
}

impl Functions {
    fn measure(&mut self, signature: &Signature, block: &Block) {
        let first = signature.fn_token.span.start().line;
        let lines = block.span().end().line - first + 1;
        if lines > FUNCTION_LINES {
            self.long.push((signature.ident.to_string(), first, lines));
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test_only(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
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

    #[test]
    fn tests_do_not_count_towards_a_file() {
        let code = "use a;\n".repeat(FILE_LINES);
        let tested = format!("{code}#[cfg(test)]\nmod tests {{\n{code}}}\n");
        let long = format!("{code}use b;\n");
        let files = [
            ("a/src/tested.rs", tested.as_str()),
            ("a/src/long.rs", &long),
        ];
        assert_eq!(places(check, &files), ["a/src/long.rs:400"]);
    }
}
