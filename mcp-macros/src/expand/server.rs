//! Generates the implementation of `McpServer`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, Generics, WherePredicate, parse_quote, parse_quote_spanned};

use super::{cache, claim, function, hook, scopes, setter, uri};
use crate::model::{Info, Role, Server};

/// Generates the implementation of `McpServer`, or the part of a group.
pub(crate) fn server(server: &Server) -> TokenStream {
    let Server {
        runtime, self_type, ..
    } = server;
    let generics = bounded(server);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let functions = server.functions.iter().map(function::register);
    let functions = functions.chain(server.hooks.iter().map(hook::register));
    let implementation = match &server.role {
        Role::Whole { info, groups } => {
            let info = self::info(info);
            let groups = groups.iter().map(group_name);
            quote_spanned! {Span::mixed_site()=>
                #[allow(deprecated)]
                impl #impl_generics __mcp::OneMcpServerBlockTheOthersAreGroups for #self_type #where_clause {
                    fn register(self: __mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder) {
                        #info
                        #(#functions)*
                        #(Self::#groups(&self, __server);)*
                    }
                }
            }
        }
        Role::Group(name) => {
            let function = group(name, functions);
            quote_spanned! {Span::mixed_site()=>
                #[allow(deprecated)]
                impl #impl_generics #self_type #where_clause {
                    #[doc(hidden)]
                    #[deny(dead_code)]
                    #function
                }
            }
        }
    };
    let warnings = server.functions.iter().map(function::warnings);
    let unmarked = server.unmarked.as_ref().map(function::unmarked);
    let warnings = warnings.chain(unmarked);
    let names = claim::names(server);
    let uris = uri::builders(server);
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            use #runtime::__private as __mcp;
            #[allow(unused_imports)]
            use __mcp::traits::*;

            #(#warnings)*
            #names
            #uris
            #implementation
        };
    }
}

/// Generates the unit struct that is the server of a module.
pub(crate) fn module_server(server: &Server) -> TokenStream {
    let implementation = self::server(server);
    quote! {
        /// The server that offers the functions of this module.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Server;

        #implementation
    }
}

/// Generates the function that registers the contents of a group.
///
/// rustc does not report unused code that a macro generates. The function has the span of the
/// group's name, so rustc reports a group that no server includes.
fn group(name: &Ident, registrations: impl Iterator<Item = TokenStream>) -> TokenStream {
    let function = group_name(name);
    let parameters = quote_spanned! {Span::mixed_site()=>
        self: &__mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder
    };
    quote_spanned! {name.span()=>
        pub(crate) fn #function(#parameters) { #(#registrations)* }
    }
}

/// The name of the function that registers the contents of a group.
fn group_name(name: &Ident) -> Ident {
    format_ident!(
        "group_{name}_listed_in_groups_of_mcp_server",
        span = name.span()
    )
}

/// The generics of the block, with the bounds needed to share the server between calls.
///
/// The bound is on the type itself, which requires no more than necessary, and reports a type that
/// cannot be shared once instead of once for each tool. If the type has lifetimes, the compiler
/// can't use such a bound inside a future, so each parameter gets a bound of its own.
fn bounded(server: &Server) -> Generics {
    let mut generics = server.generics.clone();
    let self_type = &server.self_type;
    let has_lifetimes = generics.lifetimes().next().is_some();
    let mut predicates: Vec<WherePredicate> = Vec::new();
    if has_lifetimes {
        for lifetime in generics.lifetimes() {
            let lifetime = &lifetime.lifetime;
            predicates.push(parse_quote!(#lifetime: 'static));
        }
        for parameter in generics.type_params() {
            let ident = &parameter.ident;
            predicates
                .push(parse_quote!(#ident: ::core::marker::Send + ::core::marker::Sync + 'static));
        }
    } else {
        predicates.push(parse_quote_spanned! {self_type.span()=>
            #self_type: ::core::marker::Send + ::core::marker::Sync + 'static
        });
    }
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

fn info(info: &Info) -> TokenStream {
    let name = or_package(info.name.as_ref(), "CARGO_PKG_NAME");
    let version = or_package(info.version.as_ref(), "CARGO_PKG_VERSION");
    let title = setter("with_title", info.title.as_ref());
    let description = setter("with_description", info.description.as_ref());
    let website = setter("with_website_url", info.website.as_ref());
    let icons = info
        .icons
        .as_ref()
        .map(|icons| quote!(.with_icons(__mcp::icons(#icons))));
    let instructions = info
        .instructions
        .as_ref()
        .map(|text| quote_spanned!(Span::mixed_site()=> __server.instructions(#text);));
    let revisions = info.revisions.as_ref().map(|text| {
        // A constant item is evaluated even by `cargo check`.
        let set = quote_spanned!(text.span()=> __mcp::revisions(#text));
        quote_spanned! {Span::mixed_site()=>
            const REVISIONS: __mcp::Revisions = #set;
            __server.revisions(REVISIONS);
        }
    });
    let cache = info.cache.as_ref().map(cache);
    let cache = cache.map(|cache| quote_spanned!(Span::mixed_site()=> __server #cache;));
    let settings = settings(info);
    quote_spanned! {Span::mixed_site()=>
        __server.info(__mcp::implementation(#name, #version) #title #description #website #icons);
        #instructions
        #revisions
        #settings
        #cache
    }
}

/// Generates the settings of capabilities, lists, logging and scopes.
fn settings(info: &Info) -> TokenStream {
    let requires = (!info.requires.is_empty()).then(|| {
        let setters = info.requires.iter().map(|capability| {
            let setter = format_ident!("with_{capability}");
            quote!(.#setter(::core::default::Default::default()))
        });
        quote_spanned! {Span::mixed_site()=>
            __server.requires(&__mcp::ClientCapabilities::new() #(#setters)*);
        }
    });
    let list_changed = (!info.list_changed.is_empty()).then(|| {
        let lists = info.list_changed.iter().map(|list| {
            let list = list.to_string();
            format_ident!("{}{}", list[..1].to_uppercase(), &list[1..])
        });
        quote_spanned!(Span::mixed_site()=> __server.list_changed([#(__mcp::List::#lists),*]);)
    });
    let page_size = info.page_size.as_ref().map(|size| {
        let checked = quote_spanned!(size.span()=> __mcp::page_size(#size));
        quote_spanned! {Span::mixed_site()=>
            const PAGE_SIZE: __mcp::NonZeroUsize = #checked;
            __server.page_size(PAGE_SIZE);
        }
    });
    let logging = info
        .logging
        .then(|| quote_spanned!(Span::mixed_site()=> __server.logging();));
    let scopes = scopes(&info.scopes);
    let scopes = scopes.map(|scopes| quote_spanned!(Span::mixed_site()=> __server #scopes;));
    let filter = info
        .filter_by_scopes
        .then(|| quote_spanned!(Span::mixed_site()=> __server.filter_by_scopes();));
    quote!(#requires #list_changed #logging #scopes #filter #page_size)
}

fn or_package(given: Option<&Expr>, variable: &str) -> TokenStream {
    match given {
        Some(given) => quote!(#given),
        None => quote!(::core::env!(#variable)),
    }
}
