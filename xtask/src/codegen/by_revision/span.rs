//! Sets of revisions, as Rust that a person would write.

use crate::codegen::merged::merge::{Merged, Set};
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;

/// The variant of a revision: `V2025_06_18`.
pub(crate) fn variant(revision: &str) -> String {
    format!("V{}", revision.replace('-', "_"))
}

/// `statements` that are for the revisions of `set` only.
///
/// `within` are the revisions that can occur at all.
pub(crate) fn only_in(
    merged: &Merged,
    set: &Set,
    within: &Set,
    statements: TokenStream,
) -> TokenStream {
    match condition(merged, set, within) {
        _ if set.is_disjoint(within) => TokenStream::new(),
        Some(condition) => quote!(if #condition { #statements }),
        None => statements,
    }
}

/// A condition on `revision` that holds for `set`; `None` if it always does.
///
/// `within` are the revisions that can occur at all.
pub(crate) fn condition(merged: &Merged, set: &Set, within: &Set) -> Option<TokenStream> {
    let rest = within - set;
    let set = set & within;
    let lowest = rest.first()?;
    let highest = rest.last()?;
    let name = |index: &usize| {
        let name = ident(&variant(&merged.revisions[*index]));
        quote!(Revision::#name)
    };
    let names: Vec<_> = set.iter().map(name).collect();
    Some(match (&names[..], set.first(), set.last()) {
        ([], ..) => quote!(false),
        ([first, ..], Some(index), _) if index > highest => quote!(revision >= #first),
        ([.., last], _, Some(index)) if index < lowest => quote!(revision <= #last),
        ([only], ..) => quote!(revision == #only),
        _ if lowest == highest => {
            let only = name(lowest);
            quote!(revision != #only)
        }
        _ => quote!(matches!(revision, #(#names)|*)),
    })
}

/// The set as bits, the oldest revision in the lowest.
pub(crate) fn bits(set: &Set) -> TokenStream {
    let bits = set.iter().fold(0_u64, |bits, index| bits | 1 << index);
    format!("0b{bits:b}").parse().unwrap_or_default()
}
