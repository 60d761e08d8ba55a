//! Finds the paths in Rust code, `use` declarations, attributes, and the arguments of macros.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, parse_quote};

/// A path in the source.
pub(super) struct Named {
    pub(super) segments: Vec<String>,
    /// Line of the path's last part in a `use` declaration, or of its first segment.
    pub(super) line: usize,
    /// The name that a `use` declaration gives the path.
    pub(super) alias: Option<String>,
}

/// Returns all paths outside of test modules. A single identifier is a path only in a `use` declaration.
pub(super) fn names(items: &[Item]) -> Vec<Named> {
    let mut found = Vec::new();
    for item in items.iter().filter(|item| !is_test_module(item)) {
        add(item.to_token_stream(), &[], &mut found);
    }
    found.retain(|it| it.segments.len() > 1 || it.alias.is_some());
    found
}

pub(crate) fn is_test_module(item: &Item) -> bool {
    let test: Attribute = parse_quote!(#[cfg(test)]);
    matches!(item, Item::Mod(module) if module.attrs.contains(&test))
}

/// Adds the paths in `tokens`. If `outer` is not empty, these are in braces after `outer` in a `use`
/// declaration.
fn add(tokens: TokenStream, outer: &[String], found: &mut Vec<Named>) {
    let mut imports = !outer.is_empty();
    // The previous identifier, and the number of colons after it.
    let mut before = String::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Ident(word) => {
                let text = word.to_string();
                let alias = imports.then(|| text.clone());
                match found.last_mut() {
                    Some(last) if imports && before == "as" => last.alias = alias,
                    Some(last) if colons == 2 && !before.is_empty() => {
                        last.segments.push(text.clone());
                        last.alias = alias;
                    }
                    _ if text == "as" => {}
                    _ => found.push(Named {
                        segments: [outer, std::slice::from_ref(&text)].concat(),
                        line: word.span().start().line,
                        alias,
                    }),
                }
                imports |= text == "use";
                before = text;
            }
            TokenTree::Group(group) => {
                match found.pop_if(|_| imports && colons == 2) {
                    Some(outer) => add(group.stream(), &outer.segments, found),
                    None if before == "pub" => {}
                    None => add(group.stream(), &[], found),
                }
                before.clear();
            }
            other => {
                imports &= other.to_string() != ";";
                before.clear();
            }
        }
        colons = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let names = names(&syn::parse_file(source).unwrap().items);
        let text = |it: &Named| {
            let alias = it.alias.as_ref().map(|it| format!(" as {it}"));
            format!(
                "{}:{}{}",
                it.line,
                it.segments.join("::"),
                alias.unwrap_or_default()
            )
        };
        names.iter().map(text).collect()
    }

    #[test]
    fn code_uses_and_macros_are_searched() {
        let source = "use a::{b::C, d as e, f::{g, h}};\npub(in crate::k) fn g() {\n    h::i::<u8>(l as u8);\n    \
                      j!(k::l, \"m::n\" => [o::p]);\n}";
        let expected = [
            "1:a::b::C as C",
            "1:a::d as e",
            "1:a::f::g as g",
            "1:a::f::h as h",
            "3:h::i",
            "4:k::l",
            "4:o::p",
        ];
        assert_eq!(found(source), expected);
    }

    #[test]
    fn test_modules_are_left_out() {
        assert!(found("#[cfg(test)] mod tests { use a::b; }").is_empty());
        assert_eq!(found("mod inner { use a::b; }"), ["1:a::b as b"]);
    }
}
