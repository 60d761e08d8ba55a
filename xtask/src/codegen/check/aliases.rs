//! Deprecated names for types that the model has under another name now.

use crate::codegen::emit::rust::ident;
use crate::codegen::merged::merge::Merged;
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use std::path::Path;

/// One alias for each entry of the overlay.
pub(crate) fn emit(overlay: &Overlay) -> TokenStream {
    let aliases = overlay.alias.matching(|_| true).map(|alias| {
        let (old, new, since) = (ident(&alias.old), ident(&alias.new), &alias.since);
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
    let names: BTreeSet<_> = merged.types.keys().chain(methods).collect();
    let aliases = overlay
        .alias
        .matching(|alias| names.contains(&alias.new) && !names.contains(&alias.old));
    let kept: BTreeSet<_> = aliases.map(|alias| &alias.old).collect();
    let committed = committed(root).into_iter();
    let gone = committed
        .filter(|name| name != "Revision" && !names.contains(name) && !kept.contains(name));
    gone.map(|name| {
        format!("`{name}` is no longer public; to keep it as a deprecated alias:\n    [[alias]]\n    old = \"{name}\"\n    new = \"\"\n    since = \"\"\n")
    })
    .collect()
}

/// The public types of the generated code as it is; none before it is generated first.
fn committed(root: &Path) -> BTreeSet<String> {
    let files = std::fs::read_dir(root.join("mcp-types/src/generated"));
    let files = files.into_iter().flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let names = texts.flat_map(|text| {
        let names = text.lines().filter_map(|line| {
            let line = line.strip_prefix("pub ")?;
            let mut types = ["struct ", "enum ", "type "].iter();
            let name = types.find_map(|kind| line.strip_prefix(kind))?;
            name.split([' ', '<', '(', ';']).next()
        });
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}
