//! The whole expansion of small servers, compared with files that show it.
//!
//! `GOLDEN=write cargo test -p mcp-macros` writes the files anew.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, File, Item, Meta};

/// Expands `tests/golden/<name>.rs`, and compares the outcome with `<name>.expanded.rs`.
fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let source = fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let expanded = folder.join(format!("{name}.expanded.rs"));
    let found = expand(&source);
    if std::env::var("GOLDEN").is_ok_and(|wish| wish == "write") {
        fs::write(&expanded, &found).unwrap();
    }
    let expected = fs::read_to_string(&expanded).unwrap_or_default();
    assert_eq!(
        found, expected,
        "run `GOLDEN=write cargo test -p mcp-macros` and look at the change"
    );
}

fn expand(source: &str) -> String {
    let mut file: File = syn::parse_file(source).unwrap();
    let items = std::mem::take(&mut file.items);
    for item in items {
        let expanded: File = syn::parse2(expand_item(item)).unwrap();
        file.items.extend(expanded.items);
    }
    prettyplease::unparse(&file)
}

fn expand_item(mut item: Item) -> TokenStream {
    let attributes: &mut Vec<Attribute> = match &mut item {
        Item::Impl(block) => &mut block.attrs,
        Item::Fn(function) => &mut function.attrs,
        Item::Mod(module) => &mut module.attrs,
        _ => return item.into_token_stream(),
    };
    for (name, expand) in [
        ("mcp_server", crate::server::server as fn(_, _) -> _),
        ("main", crate::entry::main as fn(_, _) -> _),
        ("tool", |attribute, item| {
            crate::entry::alone("tool", attribute, item)
        }),
    ] {
        if let Some(attribute) = crate::signature::take_attribute(attributes, name) {
            return expand(enclosed(&attribute), item.into_token_stream());
        }
    }
    item.into_token_stream()
}

/// The tokens between an attribute's parentheses.
fn enclosed(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    }
}

#[test]
fn a_function_a_module_and_a_block() {
    check("free");
}

#[test]
fn the_library() {
    check("library");
}

#[test]
fn the_calculator() {
    check("calculator");
}
