//! Doc comments, as the text that a model or a person reads.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments among `attributes`; `None` where there is none.
///
/// The one space that follows `///` is dropped from each line, and blank lines at both ends are.
pub(crate) fn text(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    let text = lines
        .iter()
        .flat_map(|line| line.lines().chain(line.is_empty().then_some("")))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect::<Vec<_>>()
        .join("\n");
    let text = text.trim_matches('\n');
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// Whether `attribute` is a doc comment, in either spelling.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if is_doc(attribute) => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::text;

    #[test]
    fn lines_are_joined_without_their_leading_space() {
        let item: syn::ItemStruct = parse_quote! {
            /// One line,
            ///   indented
            ///
            /// and a paragraph.
            struct S;
        };
        assert_eq!(
            text(&item.attrs).unwrap(),
            "One line,\n  indented\n\nand a paragraph."
        );
    }

    #[test]
    fn an_item_without_doc_comment_has_no_text() {
        let item: syn::ItemStruct = parse_quote! {
            #[allow(dead_code)]
            #[doc(hidden)]
            ///
            struct S;
        };
        assert_eq!(text(&item.attrs), None);
    }
}
