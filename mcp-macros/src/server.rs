//! Expands `#[mcp_server]`: reads an item into its model, and adds the generated code.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, ItemMod, Lit, Path, parse_quote};

use crate::argument::Helpers;
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::function::{self, Subject, Surroundings};
use crate::grammar::{LIST_CHANGED, REQUIRES, SERVER};
use crate::model::{Function, Hook, Info, Role, Server, Undocumented};
use crate::own_attribute::without_attributes;
use crate::{cache, docs, expand, hook, manifest, scopes, validate};

/// Expands `#[mcp_server]`. The item is always returned without our attributes, even if it has
/// mistakes.
pub(crate) fn server(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let mut tokens = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(mut block)) => {
            let model = read_block(attribute, &mut block, &mut diagnostics);
            let mut tokens = block.into_token_stream();
            tokens.extend(model.map(|model| expand::server(&model)));
            tokens
        }
        Ok(Item::Mod(module)) => read_module(attribute, module, &mut diagnostics),
        Ok(_) => {
            diagnostics.mistake(
                item.clone().into_iter().next(),
                "`#[mcp_server]` belongs on an `impl` block or a module",
                "move it to the `impl` block that contains the tools",
            );
            item
        }
        // Our attributes inside the block would otherwise be expanded on their own.
        Err(error) => {
            let item = without_attributes(item);
            return [item, error.into_compile_error()].into_iter().collect();
        }
    };
    tokens.extend(diagnostics.into_tokens());
    tokens
}

/// Builds the model of a block. Functions with mistakes are left out.
fn read_block(
    attribute: TokenStream,
    block: &mut ItemImpl,
    diagnostics: &mut Diagnostics,
) -> Option<Server> {
    if let Some((path, _)) = &block.trait_ {
        diagnostics.mistake(
            path,
            "`#[mcp_server]` belongs on the `impl` block of a type, not of a trait",
            "move the tools to `impl Type { … }`, and call the trait from there",
        );
    }
    let mut entries = Entries::parse(attribute, &SERVER, diagnostics);
    let runtime = runtime(&mut entries, diagnostics);
    let helpers = Helpers::of(&block.items);
    let surroundings = surroundings(true, helpers, &mut entries, diagnostics);
    let role = role(&mut entries, &block.attrs, diagnostics);
    let subjects = block.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(Subject {
            attributes: &mut function.attrs,
            signature: &mut function.sig,
            visibility: &function.vis,
            body: &function.block,
        }),
        _ => None,
    });
    let (functions, hooks) = contents(subjects, &surroundings, diagnostics);
    let is_empty = functions.is_empty() && hooks.is_empty() && diagnostics.count() == 0;
    let is_alone = matches!(&role, Role::Whole { groups, .. } if groups.is_empty());
    let unmarked = surroundings.helpers.first();
    block.trait_.is_none().then(|| Server {
        unmarked: unmarked.filter(|_| is_empty && is_alone),
        runtime,
        self_type: (*block.self_ty).clone(),
        generics: block.generics.clone(),
        role,
        functions,
        hooks,
    })
}

fn surroundings(
    of_type: bool,
    helpers: Helpers,
    entries: &mut Entries,
    diagnostics: &mut Diagnostics,
) -> Surroundings {
    let visible = entries.path("visible", diagnostics);
    let scopes = match entries.name_of("group") {
        Some(_) => scopes::read(entries, diagnostics),
        None => Vec::new(),
    };
    Surroundings {
        scopes,
        of_type,
        undocumented: undocumented(entries, diagnostics),
        visible: visible
            .map(|path| helpers.find_taking(path, "`visible`", &["&Context"], diagnostics)),
        lenient: entries.flag("lenient", diagnostics).unwrap_or(false),
        blocking: entries.flag("blocking", diagnostics).unwrap_or(false),
        helpers,
    }
}

fn contents<'a>(
    subjects: impl Iterator<Item = Subject<'a>>,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> (Vec<Function>, Vec<Hook>) {
    let mut functions = Vec::new();
    let mut hooks = Vec::new();
    for mut subject in subjects {
        hooks.extend(hook::read(&mut subject, surroundings.of_type, diagnostics));
        functions.extend(function::read(subject, surroundings, diagnostics));
    }
    validate::unique(&mut functions, diagnostics);
    (functions, hooks)
}

/// Reads a module of functions, and adds the type of the server to it.
fn read_module(
    attribute: TokenStream,
    mut module: ItemMod,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let Some((_, items)) = &mut module.content else {
        diagnostics.mistake(
            &module.ident,
            "`#[mcp_server]` has to see the functions of the module",
            "write the module here: `mod name { … }`",
        );
        return module.into_token_stream();
    };
    let mut entries = Entries::parse(attribute, &SERVER, diagnostics);
    let runtime = runtime(&mut entries, diagnostics);
    let surroundings = surroundings(false, Helpers::default(), &mut entries, diagnostics);
    let role = role(&mut entries, &module.attrs, diagnostics);
    let subjects = items.iter_mut().filter_map(|item| match item {
        Item::Fn(function) => Some(Subject {
            attributes: &mut function.attrs,
            signature: &mut function.sig,
            visibility: &function.vis,
            body: &function.block,
        }),
        _ => None,
    });
    let (functions, hooks) = contents(subjects, &surroundings, diagnostics);
    let server = Server {
        runtime,
        self_type: parse_quote!(Server),
        generics: syn::Generics::default(),
        role,
        functions,
        hooks,
        unmarked: None,
    };
    items.push(Item::Verbatim(expand::module_server(&server)));
    module.into_token_stream()
}

/// Reads whether this is the server or a group, and how the server introduces itself.
fn role(entries: &mut Entries, attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Role {
    let group = entries.ident("group", diagnostics);
    let before = entries.len();
    let info = Info {
        name: entries.expr("name", diagnostics),
        version: entries.expr("version", diagnostics),
        title: entries.expr("title", diagnostics),
        description: entries.expr("description", diagnostics),
        website: entries.expr("website", diagnostics),
        icons: entries.expr("icons", diagnostics),
        revisions: entries.literal("revisions", diagnostics),
        requires: entries.words("requires", &REQUIRES, diagnostics),
        list_changed: entries.words("list_changed", &LIST_CHANGED, diagnostics),
        logging: entries.flag("logging", diagnostics).unwrap_or(false),
        scopes: scopes::read(entries, diagnostics),
        filter_by_scopes: entries
            .flag("filter_by_scopes", diagnostics)
            .unwrap_or(false),
        page_size: page_size(entries, diagnostics),
        cache: cache::read(entries, diagnostics),
        instructions: entries
            .expr("instructions", diagnostics)
            .or_else(|| docs::text(attributes)),
    };
    let groups = entries.idents("groups", diagnostics);
    let Some(group) = group else {
        let info = Box::new(info);
        return Role::Whole { info, groups };
    };
    if entries.len() != before {
        diagnostics.mistake(
            &group,
            "a group cannot describe the server as a whole",
            "move all but `group` to the `#[mcp_server]` that names it in `groups`",
        );
    }
    Role::Group(group)
}

/// The path of the runtime: `crate = …`, or else the name of the dependency in `Cargo.toml`.
pub(crate) fn runtime(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Path {
    match entries.expr("crate", diagnostics) {
        Some(Expr::Path(path)) => path.path,
        Some(other) => {
            diagnostics.mistake(other, "`crate` is a path", "write `crate = my::path`");
            manifest::runtime()
        }
        None => manifest::runtime(),
    }
}

/// Takes the number of items on a page. Only a literal is checked here; the compiler checks a
/// constant.
fn page_size(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<Expr> {
    let size = entries.expr("page_size", diagnostics)?;
    if let Expr::Lit(literal) = &size
        && !matches!(&literal.lit, Lit::Int(number) if number.base10_digits() != "0")
    {
        diagnostics.mistake(
            literal,
            "`page_size` must be at least 1",
            "write `page_size = 50`, or remove it to have everything on one page",
        );
        return None;
    }
    Some(size)
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
            let what = format!("`undocumented` has no level `{other}`");
            diagnostics.mistake(&level, what, "write \"allow\", \"warn\" or \"deny\"");
            Undocumented::default()
        }
    }
}
