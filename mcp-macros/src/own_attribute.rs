//! Finds and removes the attributes of this crate.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::Attribute;

/// Our attributes on parameters.
pub(crate) const SETTINGS: [&str; 2] = ["arg", "elicit"];

pub(crate) fn is_setting(attribute: &Attribute) -> bool {
    SETTINGS.iter().any(|name| is_ours(attribute, name))
}

/// Removes our attributes from the tokens of an item that can't be parsed.
pub(crate) fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            kept.push(token);
            continue;
        };
        let is_ours = group.delimiter() == Delimiter::Bracket
            && matches!(kept.last(), Some(TokenTree::Punct(sign)) if sign.as_char() == '#')
            && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if NAMES.iter().any(|ours| name == ours));
        if is_ours {
            kept.pop();
            continue;
        }
        let inside = without_attributes(group.stream());
        let mut stripped = Group::new(group.delimiter(), inside);
        stripped.set_span(group.span());
        kept.push(stripped.into());
    }
    kept.into_iter().collect()
}

/// Our attributes inside a block.
const NAMES: [&str; 8] = [
    "arg",
    "elicit",
    "on_initialized",
    "on_shutdown",
    "on_start",
    "prompt",
    "resource",
    "tool",
];

pub(crate) fn take_attribute(attributes: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attributes
        .iter()
        .position(|attribute| is_ours(attribute, name))?;
    Some(attributes.remove(at))
}

/// Whether `attribute` is called `name`, possibly with a path as in `#[mcp_runtime::tool]`.
pub(crate) fn is_ours(attribute: &Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == name)
}
