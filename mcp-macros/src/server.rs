//! `#[mcp_server]`: from an item to its model, and back to tokens.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Expr, ImplItem, Item, ItemImpl, Path, parse_quote};

use crate::attribute::{Entries, SERVER};
use crate::diagnostics::Diagnostics;
use crate::function::{self, Surroundings};
use crate::model::{Info, Server, Undocumented};
use crate::signature::{Helpers, string};
use crate::{docs, expand, validate};

/// Expands `#[mcp_server]`. The item comes back without our attributes, whatever is wrong with it.
pub(crate) fn server(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let mut block = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(block)) => block,
        Ok(_) => {
            diagnostics.mistake(
                item.clone().into_iter().next(),
                "`#[mcp_server]` stands on an `impl` block",
                "move it to the `impl` block that contains the tools",
            );
            return [item, diagnostics.into_tokens()].into_iter().collect();
        }
        Err(error) => return [item, error.into_compile_error()].into_iter().collect(),
    };
    let model = read(attribute, &mut block, &mut diagnostics);
    let mut tokens = block.into_token_stream();
    tokens.extend(model.map(|model| expand::server(&model)));
    tokens.extend(diagnostics.into_tokens());
    tokens
}

/// Builds the model of what is sound; unsound functions are left out of it.
fn read(
    attribute: TokenStream,
    block: &mut ItemImpl,
    diagnostics: &mut Diagnostics,
) -> Option<Server> {
    if let Some((path, _)) = &block.trait_ {
        diagnostics.mistake(
            path,
            "`#[mcp_server]` stands on the `impl` block of a type, not of a trait",
            "move the tools to `impl Type { … }`, and call the trait from there",
        );
    }
    let mut entries = Entries::parse(attribute, &SERVER, diagnostics);
    let runtime = runtime(&mut entries, diagnostics);
    let undocumented = undocumented(&mut entries, diagnostics);
    let info = Info {
        name: entries.expr("name", diagnostics),
        version: entries.expr("version", diagnostics),
        title: entries.expr("title", diagnostics),
        description: entries.expr("description", diagnostics),
        website: entries.expr("website", diagnostics),
        icons: entries.expr("icons", diagnostics),
        instructions: entries
            .expr("instructions", diagnostics)
            .or_else(|| docs::text(&block.attrs).map(|text| string(&text))),
    };
    let surroundings = Surroundings {
        undocumented,
        helpers: Helpers::of(&block.items),
    };
    let mut functions = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            functions.extend(function::read(function, &surroundings, diagnostics));
        }
    }
    validate::unique(&mut functions, diagnostics);
    block.trait_.is_none().then(|| Server {
        runtime,
        self_type: (*block.self_ty).clone(),
        generics: block.generics.clone(),
        info,
        functions,
    })
}

/// The path to the runtime: `crate = …`, or the name that the crate has on its own.
pub(crate) fn runtime(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Path {
    match entries.expr("crate", diagnostics) {
        Some(Expr::Path(path)) => path.path,
        Some(other) => {
            diagnostics.mistake(other, "`crate` is a path", "write `crate = my::path`");
            parse_quote!(::mcp_runtime)
        }
        None => parse_quote!(::mcp_runtime),
    }
}

fn undocumented(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Undocumented {
    let Some(level) = entries.literal("undocumented", diagnostics) else {
        return Undocumented::default();
    };
    match level.value().as_str() {
        "allow" => Undocumented::Allow,
        "warn" => Undocumented::Warn,
        "deny" => Undocumented::Deny,
        other => {
            let what = format!("`undocumented` knows no level `{other}`");
            diagnostics.mistake(&level, what, "write \"allow\", \"warn\" or \"deny\"");
            Undocumented::default()
        }
    }
}
