//! Conditional compilation chooses whole modules. Sprinkled over items, it
//! makes combinations that nobody compiles.

use super::violation::{Rule, Violation};
use super::workspace::{File, Workspace};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{AttrStyle, Attribute, Item, Visibility};

const CFG: Rule = Rule {
    name: "cfg stands on `mod` and `pub use` only",
    mend: "put what depends on it into a module of its own",
};

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for file in workspace.sources() {
        if let Some(syntax) = file.syntax() {
            let mut search = Search {
                file,
                violations: &mut *violations,
            };
            search.visit_file(syntax);
        }
    }
}

struct Search<'a> {
    file: &'a File,
    violations: &'a mut Vec<Violation>,
}

impl Search<'_> {
    fn object(&mut self, line: usize, found: &str) {
        self.violations.push(CFG.broken(self.file, line, found));
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            // What is inside a module of tests is compiled as one.
            Item::Mod(module) if module.attrs.iter().any(is_cfg) => {}
            // A module whose file depends on the platform.
            Item::Mod(module) if module.content.is_none() => {}
            Item::Use(item)
                if matches!(item.vis, Visibility::Public(_) | Visibility::Restricted(_)) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let line = attribute.span().start().line;
        if is_cfg(attribute) {
            self.object(line, "`cfg` on something else");
        } else if attribute.path().is_ident("cfg_attr") && !concerns_docs_or_lints(attribute) {
            self.object(
                line,
                "`cfg_attr` that is not about docs or the lints of a crate",
            );
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("cfg") {
            self.object(call.span().start().line, "`cfg!` in an expression");
        }
    }
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

fn concerns_docs_or_lints(attribute: &Attribute) -> bool {
    let text = attribute.meta.to_token_stream().to_string();
    let is_inner = matches!(attribute.style, AttrStyle::Inner(_));
    let concerns_docs = ["docsrs", "doc =", "doc ("];
    concerns_docs.iter().any(|part| text.contains(part)) || is_inner && text.contains("allow (")
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::check;

    #[test]
    fn modules_and_public_uses_may_depend_on_features() {
        let clean = "#![cfg_attr(docsrs, feature(doc_cfg))]\n\
            #![cfg_attr(not(feature = \"a\"), allow(dead_code))]\n\
            #[cfg(feature = \"a\")]\nmod a;\n\
            #[cfg(feature = \"a\")]\npub use a::A;\n\
            #[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n    fn f() {}\n}\n\
            #[cfg_attr(feature = \"a\", doc = \"A\")]\nstruct S;\n\
            #[cfg_attr(unix, path = \"unix.rs\")]\nmod platform;\n";
        assert!(places(check, &[("x/src/lib.rs", clean)]).is_empty());
        assert!(places(check, &[("x/tests/a.rs", "#![cfg(unix)]")]).is_empty());
    }

    #[test]
    fn nothing_else_may() {
        let source = "#[cfg(unix)]\nfn f() {\n    #[cfg(windows)]\n    g();\n    if cfg!(test) {}\n}\n\
            #[cfg(unix)]\nuse a::B;\n\
            struct S {\n    #[cfg(unix)]\n    x: u8,\n}\n\
            #[cfg_attr(test, derive(Debug))]\nstruct T;\n\
            #[cfg_attr(unix, allow(dead_code))]\nstruct U;\n";
        assert_eq!(
            places(check, &[("x/src/lib.rs", source)]),
            [1, 3, 5, 7, 10, 13, 15].map(|line| format!("x/src/lib.rs:{line}"))
        );
    }
}
