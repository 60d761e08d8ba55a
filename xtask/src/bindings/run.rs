//! Runs the steps of `cargo xtask bindings`.

use super::print::{parsed, print};
use super::support::Support;
use super::trim::trim;
use crate::codegen;
use anyhow::Result;
use quote::format_ident;
use std::path::Path;
use syn::{Item, ItemMod, parse_quote};

/// The root of the file: docs, imports, hand-written modules and whole messages.
const ROOT: &str = include_str!("../../templates/bindings.rs");

pub(crate) fn run(root: &Path, revision: &str) -> Result<String> {
    let mut template = parsed("xtask/templates/bindings.rs", ROOT)?;
    let support = Support::take(&mut template.items, &root.join("mcp-types/src"))?;
    let mut items = Vec::new();
    let mut constants = Vec::new();
    for file in codegen::single(root, revision)? {
        let module = parsed(&file.path, &file.text)?;
        let is_constant = |item: &Item| matches!(item, Item::Const(_));
        if module.items.iter().all(is_constant) {
            constants.push(Item::Mod(named(&file.path, module)));
        } else {
            let own = module.items.into_iter();
            items.extend(own.filter(|item| !matches!(item, Item::Use(_))));
        }
    }
    items.append(&mut template.items);
    trim(&mut items);
    items.append(&mut constants);
    template.items = support.around(items);
    print(revision, &template)
}

/// Creates a module that is named after its file. Constants are in such modules, types at the root.
fn named(path: &str, syn::File { attrs, items, .. }: syn::File) -> ItemMod {
    let file = path.rsplit('/').next().unwrap_or(path);
    let name = format_ident!("{}", file.trim_end_matches(".rs"));
    parse_quote!(pub mod #name { #(#attrs)* #(#items)* })
}
