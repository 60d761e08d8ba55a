//! Deprecated aliases for types that were renamed.

use crate::codegen::merged::merge::Merged;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Alias;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use std::path::Path;

pub(crate) fn emit(overlay: &Overlay) -> TokenStream {
    let aliases = overlay.alias.matching(|_| true).map(|alias| {
        let old = ident(&alias.old);
        let new = ident(&alias.new);
        let since = &alias.since;
        let doc = format!(" Former name of [`{new}`].");
        let note = format!("renamed to `{new}`");
        quote! {
            #[doc = #doc]
            #[deprecated(since = #since, note = #note)]
            pub type #old = #new;
        }
    });
    aliases.collect()
}

/// Returns a note about each public type of the existing generated code that the model lacks, with an
/// entry that keeps the name as an alias.
pub(crate) fn gone(root: &Path, merged: &Merged, overlay: &Overlay) -> Vec<String> {
    let methods = merged.methods.values().map(|entry| &entry.method.name);
    let mut names: BTreeSet<_> = merged.types.keys().chain(methods).collect();
    let is_alias = |entry: &Alias| names.contains(&entry.new) && !names.contains(&entry.old);
    let kept: Vec<_> = overlay.alias.matching(is_alias).collect();
    names.extend(kept.iter().map(|alias| &alias.old));
    let mut gone = committed(root);
    gone.retain(|name| name != "Revision" && !names.contains(name));
    let notes = gone.iter().map(|name| {
        format!("`{name}` is no longer public; to keep it as a deprecated alias:\n    [[alias]]\n    old = \"{name}\"\n    new = \"\"\n    since = \"\"\n")
    });
    notes.collect()
}

/// Returns the public types of the existing generated code; empty before the first generation.
fn committed(root: &Path) -> BTreeSet<String> {
    let files = std::fs::read_dir(root.join("mcp-types/src/generated"));
    let files = files.into_iter().flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let names = texts.flat_map(|text| {
        let names = text.lines().filter_map(public_type);
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}

fn public_type(line: &str) -> Option<&str> {
    let (kind, name) = line.strip_prefix("pub ")?.split_once(' ')?;
    let is_type = ["struct", "enum", "type"].contains(&kind);
    name.split([' ', '<', '(', ';']).next().filter(|_| is_type)
}
