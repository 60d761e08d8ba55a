//! Deprecated names for types that the model has under another name now.

use crate::codegen::merged::merge::Merged;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::kinds::Alias;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use std::path::Path;

/// One alias for each entry of the overlay.
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

/// The public types of the generated code at `root` that the model lacks, each with the entry that
/// keeps it.
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

/// The public types of the generated code as it is; none before it is generated first.
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

/// The public type that a line of generated code defines.
fn public_type(line: &str) -> Option<&str> {
    let (kind, name) = line.strip_prefix("pub ")?.split_once(' ')?;
    let is_type = ["struct", "enum", "type"].contains(&kind);
    name.split([' ', '<', '(', ';']).next().filter(|_| is_type)
}
