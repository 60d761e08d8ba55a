//! Which paths a Rust file names, and where: in code, in `use` trees, and in
//! the arguments of macros, which syntax trees do not look into.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{BinOp, UseTree};

/// A path, as the source spells it.
pub(super) struct Named {
    pub(super) segments: Vec<String>,
    /// Line of its first segment.
    pub(super) line: usize,
    /// True where it decides: in a pattern, or beside `==` or `!=`.
    pub(super) decides: bool,
    /// The name that a `use` gives it.
    pub(super) alias: Option<String>,
}

impl Named {
    /// True if `outer::inner` is part of the path, for an `inner` that `is`.
    pub(super) fn has(&self, outer: &str, is: impl Fn(&str) -> bool) -> bool {
        let mut pairs = self.segments.windows(2);
        pairs.any(|pair| pair[0] == outer && is(&pair[1]))
    }
}

/// All paths of a file outside its test modules.
pub(super) fn names(file: &syn::File) -> Vec<Named> {
    let mut names = Names::default();
    names.visit_file(file);
    names.found
}

/// True for `#[cfg(test)]`.
pub(crate) fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|word| word == "test")
    })
}

/// Calls `look` with each group among `tokens`, at any depth, and the token before it.
pub(super) fn groups(
    tokens: TokenStream,
    look: &mut dyn FnMut(Option<&TokenTree>, &proc_macro2::Group),
) {
    let mut before = None;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            look(before.as_ref(), group);
            groups(group.stream(), look);
        }
        before = Some(token);
    }
}

#[derive(Default)]
struct Names {
    found: Vec<Named>,
    deciding: usize,
}

impl Names {
    fn add(&mut self, segments: Vec<String>, line: usize, alias: Option<String>) {
        self.found.push(Named {
            segments,
            line,
            decides: self.deciding > 0,
            alias,
        });
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &[String], line: usize) {
        let with = |name: &dyn ToString| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_use(&path.tree, &with(&path.ident), line),
            UseTree::Name(name) => {
                let alias = Some(name.ident.to_string());
                self.add(with(&name.ident), name.ident.span().start().line, alias);
            }
            UseTree::Rename(name) => {
                let alias = Some(name.rename.to_string());
                self.add(with(&name.ident), name.ident.span().start().line, alias);
            }
            UseTree::Glob(_) => self.add(with(&"*"), line, None),
            UseTree::Group(group) => {
                for item in &group.items {
                    self.add_use(item, prefix, line);
                }
            }
        }
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    if colons != 2 || path.is_empty() {
                        self.flush(&mut path, line);
                        line = word.span().start().line;
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                other => {
                    self.flush(&mut path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.flush(&mut path, line);
    }

    fn flush(&mut self, path: &mut Vec<String>, line: usize) {
        if !path.is_empty() {
            self.add(std::mem::take(path), line, None);
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&item.tree, &[], item.use_token.span.start().line);
    }

    /// `pub(super)` and `pub(in …)` import nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        self.deciding += 1;
        visit::visit_pat(self, pattern);
        self.deciding -= 1;
    }

    fn visit_expr_binary(&mut self, expression: &'ast syn::ExprBinary) {
        let compares = matches!(expression.op, BinOp::Eq(_) | BinOp::Ne(_));
        self.deciding += usize::from(compares);
        visit::visit_expr_binary(self, expression);
        self.deciding -= usize::from(compares);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path
            .segments
            .iter()
            .map(|it| it.ident.to_string())
            .collect();
        if let Some(first) = path.segments.first() {
            self.add(segments, first.ident.span().start().line, None);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        let decides = call.path.is_ident("matches");
        self.deciding += usize::from(decides);
        self.add_tokens(call.tokens.clone());
        self.deciding -= usize::from(decides);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let names = names(&syn::parse_file(source).unwrap());
        let text = |it: &Named| {
            let mark = if it.decides { "?" } else { "" };
            format!("{}:{}{mark}", it.line, it.segments.join("::"))
        };
        names.iter().map(text).collect()
    }

    #[test]
    fn code_uses_and_macros_are_searched() {
        let source = "use a::{b::C, d as e, f::*};\nfn g() {\n    h::i();\n    j!(k::l, \"m::n\" => [o::p]);\n}";
        assert_eq!(
            found(source),
            [
                "1:a::b::C",
                "1:a::d",
                "1:a::f::*",
                "3:h::i",
                "4:j",
                "4:k::l",
                "4:o::p"
            ]
        );
    }

    #[test]
    fn patterns_and_comparisons_decide() {
        let source = "fn f() { if let A::B = c {} if D::E == g {} matches!(h, I::J) }";
        let found = found(source);
        for name in ["1:A::B?", "1:D::E?", "1:I::J?", "1:c"] {
            assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
        }
    }

    #[test]
    fn test_modules_are_left_out() {
        assert!(found("#[cfg(test)] mod tests { use a::b; }").is_empty());
        assert_eq!(found("mod inner { use a::b; }"), ["1:a::b"]);
    }
}
