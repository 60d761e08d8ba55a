//! Compares the whole expansion of small servers with files in `tests/golden`.
//!
//! `GOLDEN=write cargo test -p mcp-runtime-macros` updates the files.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, File, Item, Meta};

/// Expands `tests/golden/<name>.rs` and compares the result with `<name>.expanded.rs`.
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
        "run `GOLDEN=write cargo test -p mcp-runtime-macros` and look at the change"
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
        Item::Struct(_) => return derived(item),
        _ => return item.into_token_stream(),
    };
    for (name, expand) in [
        ("mcp_server", crate::server::server as fn(_, _) -> _),
        ("main", crate::entry::main as fn(_, _) -> _),
        ("tool", |attribute, item| {
            crate::entry::alone("tool", attribute, item)
        }),
    ] {
        if let Some(attribute) = crate::own_attribute::take_attribute(attributes, name) {
            return expand(enclosed(&attribute), item.into_token_stream());
        }
    }
    item.into_token_stream()
}

/// The struct, followed by the output of `derive(FromContext)` if it is derived.
fn derived(item: Item) -> TokenStream {
    let mut tokens = item.to_token_stream();
    if tokens.to_string().contains("from_context") {
        tokens.extend(crate::from_context::derive(item.into_token_stream()));
    }
    tokens
}

/// The tokens between the parentheses of `attribute`.
fn enclosed(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    }
}

/// Mistakes must not remove the user's function, because editors would no longer know it.
#[test]
fn a_mistake_leaves_the_function_where_it_was() {
    for (attribute, function) in [
        ("", "#[tool(colour = 5)] fn look(&self) -> u8 { 5 }"),
        ("", "#[tool(title = )] fn look(&self) -> u8 { 5 }"),
        ("", "#[tool] fn look(&mut self, at: &str) -> u8 { 5 }"),
        ("", "#[tool] #[prompt] fn look<T>(self) -> u8 { 5 }"),
        (
            "",
            "#[resource] fn look(&self, #[arg(name)] at: u8) -> u8 { 5 }",
        ),
        ("", "#[on_start] fn look(&self, at: u8) -> u8 { 5 }"),
        ("tittle = 5", "#[tool] fn look(&self) -> u8 { 5 }"),
        ("cache", "#[tool] fn look(&self) -> &str { 5 }"),
    ] {
        let block = format!("impl Server {{ {function} }}");
        let expanded = crate::server::server(attribute.parse().unwrap(), block.parse().unwrap());
        let file: File = syn::parse2(expanded).unwrap();
        let Item::Impl(block) = &file.items[0] else {
            panic!("{function}: no block");
        };
        let found = block.items.iter().any(
            |item| matches!(item, syn::ImplItem::Fn(function) if function.sig.ident == "look"),
        );
        assert!(found, "{function}");
        let is_error = |item: &Item| matches!(item, Item::Macro(call) if call.mac.path.segments.last().unwrap().ident == "compile_error");
        assert!(file.items.iter().any(is_error), "{function}");
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
