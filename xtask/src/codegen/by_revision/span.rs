//! Sets of revisions, as Rust that a person would write.

use crate::codegen::emit::rust::ident;
use crate::codegen::merged::merge::{Merged, Set};
use proc_macro2::TokenStream;
use quote::quote;

/// The variant of a revision: `V2025_06_18`.
pub(crate) fn variant(revision: &str) -> String {
    format!("V{}", revision.replace('-', "_"))
}

/// A condition on `revision` that holds for `set`; `None` if it always does.
///
/// `within` are the revisions that can occur at all.
pub(crate) fn condition(merged: &Merged, set: &Set, within: &Set) -> Option<TokenStream> {
    if within.is_subset(set) {
        return None;
    }
    if set.is_empty() {
        return Some(quote!(false));
    }
    let name = |index: &usize| {
        let name = ident(&variant(&merged.revisions[*index]));
        quote!(Revision::#name)
    };
    if let Some(range) = range(set, within, &name) {
        return Some(range);
    }
    let rest: Set = within.difference(set).copied().collect();
    match (rest.len(), rest.first()) {
        (1, Some(only)) => {
            let only = name(only);
            Some(quote!(revision != #only))
        }
        _ => {
            let names = set.iter().map(name);
            Some(quote!(matches!(revision, #(#names)|*)))
        }
    }
}

/// A comparison, if `set` is one stretch of `within`.
fn range(set: &Set, within: &Set, name: &dyn Fn(&usize) -> TokenStream) -> Option<TokenStream> {
    let (first, last) = (set.first()?, set.last()?);
    if !within.range(first..=last).all(|index| set.contains(index)) {
        return None;
    }
    let from_start = within.first().is_none_or(|start| start >= first);
    let to_end = within.last().is_none_or(|end| end <= last);
    let (first_name, last_name) = (name(first), name(last));
    Some(match (from_start, to_end) {
        (_, true) => quote!(revision >= #first_name),
        (true, _) => quote!(revision <= #last_name),
        _ if first == last => quote!(revision == #first_name),
        _ => quote!((#first_name..=#last_name).contains(&revision)),
    })
}

/// The condition that holds for all revisions but those of `set`; `None` if there are none.
pub(crate) fn outside(merged: &Merged, set: &Set, within: &Set) -> Option<TokenStream> {
    let rest: Set = within.difference(set).copied().collect();
    if rest.is_empty() {
        return None;
    }
    Some(condition(merged, &rest, within).unwrap_or_else(|| quote!(true)))
}

/// The set as bits, the oldest revision in the lowest.
pub(crate) fn bits(set: &Set) -> TokenStream {
    let bits = set.iter().fold(0_u64, |bits, index| bits | 1 << index);
    format!("0b{bits:b}").parse().unwrap_or_default()
}
