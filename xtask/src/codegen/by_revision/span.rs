//! Emits sets of revisions as readable Rust.

use crate::codegen::merged::merge::{Merged, Set};
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the variant of a revision, such as `V2025_06_18`.
pub(crate) fn variant(revision: &str) -> String {
    format!("V{}", revision.replace('-', "_"))
}

/// Makes `statements` conditional on the revisions of `set`.
///
/// Only the revisions in `within` can occur.
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

/// Emits a condition on `revision` that is true for `set`; `None` if it is always true.
///
/// Only the revisions in `within` can occur.
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

/// Emits the set as a bit mask, with the oldest revision in the lowest bit.
pub(crate) fn bits(set: &Set) -> TokenStream {
    let bits = set.iter().fold(0_u64, |bits, index| bits | 1 << index);
    format!("0b{bits:b}").parse().unwrap_or_default()
}
