//! Turns doc comments into descriptions for models and people.

use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, parse_quote};

/// The text of the doc comments among `attributes`, or `None` if there is no text.
///
/// Drops the space after `///`, and blank lines at both ends. Only the compiler knows the output of
/// a macro, as in `#[doc = include_str!("look.md")]`, so the result is then an expression that
/// joins all pieces. Links to items are removed at run time.
pub(crate) fn text(attributes: &[Attribute]) -> Option<Expr> {
    let pieces: Vec<&Expr> = attributes.iter().filter_map(piece).collect();
    let Some(literals) = pieces
        .iter()
        .map(|it| literal(it))
        .collect::<Option<Vec<_>>>()
    else {
        let lines = pieces.iter().map(|piece| match literal(piece) {
            Some(text) => string(&unindented(&text)),
            None => Expr::clone(piece),
        });
        let text = quote!(::core::concat!(#(#lines, "\n"),*).trim());
        return Some(parse_quote!(__mcp::without_links(#text)));
    };
    let text: Vec<String> = literals.iter().map(|text| unindented(text)).collect();
    let text = text.join("\n");
    let text = text.trim_matches('\n');
    (!text.trim().is_empty()).then(|| {
        if text.contains('[') {
            parse_quote!(__mcp::without_links(#text))
        } else {
            string(text)
        }
    })
}

/// Removes the space after `///` and trailing spaces.
fn unindented(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether `attribute` is a doc comment, written as `///` or as `#[doc]`.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

/// Whether `text` is a blank string literal.
pub(crate) fn is_empty(text: &Expr) -> bool {
    literal(text).is_some_and(|text| text.trim().is_empty())
}

/// The value of `attribute`, if it is a doc comment.
fn piece(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if is_doc(attribute) => Some(&pair.value),
        _ => None,
    }
}

fn literal(piece: &Expr) -> Option<String> {
    match piece {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

fn string(text: &str) -> Expr {
    parse_quote!(#text)
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;
    use syn::{ItemStruct, parse_quote};

    /// The tokens of the expression that `super::text` returns.
    fn text(item: &ItemStruct) -> Option<String> {
        super::text(&item.attrs).map(|text| text.to_token_stream().to_string())
    }

    #[test]
    fn lines_are_joined_without_their_leading_space() {
        let item = parse_quote! {
            /// One line,
            ///   indented
            ///
            /// and a paragraph.
            struct S;
        };
        assert_eq!(
            text(&item).unwrap(),
            r#""One line,\n  indented\n\nand a paragraph.""#
        );
    }

    #[test]
    fn links_are_left_to_the_runtime() {
        let item = parse_quote! {
            /// As [`Store::get`].
            struct S;
        };
        let expected: syn::Expr = parse_quote!(__mcp::without_links("As [`Store::get`]."));
        assert_eq!(text(&item), Some(expected.to_token_stream().to_string()));
    }

    #[test]
    fn text_of_a_macro_is_left_to_the_compiler() {
        let item = parse_quote! {
            /// First.
            #[doc = include_str!("x.md")]
            struct S;
        };
        let expected: syn::Expr = parse_quote! {
            __mcp::without_links(
                ::core::concat!("First.", "\n", include_str!("x.md"), "\n").trim()
            )
        };
        assert_eq!(text(&item), Some(expected.to_token_stream().to_string()));
    }

    #[test]
    fn an_item_without_doc_comment_has_no_text() {
        let item = parse_quote! {
            #[allow(dead_code)]
            #[doc(hidden)]
            ///
            struct S;
        };
        assert_eq!(text(&item), None);
    }
}
