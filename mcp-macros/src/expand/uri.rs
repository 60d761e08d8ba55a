//! Functions that build the URIs of resources.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use crate::model::{Function, Kind, Server, Uri};
use crate::types::optional;

/// The name of the method that builds the URIs of a resource.
pub(crate) fn name(function: &Ident) -> Ident {
    format_ident!("{}_uri", function.unraw(), span = function.span())
}

/// The URI or template as an expression. The compiler checks a constant.
pub(super) fn text(uri: &Uri) -> TokenStream {
    let path = match uri {
        Uri::Text(text) => return quote!(#text),
        Uri::Constant(path) => path,
    };
    let checked = quote_spanned!(path.span()=> __mcp::constant_uri(#path));
    let first = path.segments.first();
    if first.is_some_and(|first| first.ident == "Self") {
        return quote!(const { #checked });
    }
    // A constant item is evaluated even by `cargo check`.
    quote_spanned! {Span::mixed_site()=>
        { const __URI: &'static ::core::primitive::str = #checked; __URI }
    }
}

/// Generates the methods that build the URIs of a server's resources.
pub(super) fn builders(server: &Server) -> Option<TokenStream> {
    let functions = server.functions.iter();
    let builders: Vec<TokenStream> = functions
        .filter_map(|function| builder(function, &name(&function.callable.ident)))
        .collect();
    let self_type = &server.self_type;
    let (generics, _, where_clause) = server.generics.split_for_impl();
    (!builders.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            impl #generics #self_type #where_clause { #(#builders)* }
        }
    })
}

pub(super) fn builder(function: &Function, name: &Ident) -> Option<TokenStream> {
    let Kind::Resource(resource) = &function.kind else {
        return None;
    };
    let visibility = resource.builder.as_ref()?;
    let callable = &function.callable;
    let conditions = &callable.conditions;
    // A constant is checked where the resource is registered.
    let uri = match &resource.uri {
        Uri::Text(text) => quote!(#text),
        Uri::Constant(path) => quote!(#path),
    };
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    for argument in callable.arguments() {
        let ident = &argument.ident;
        let variable = &argument.name;
        if optional(&argument.kind).is_some() {
            parameters.push(quote!(#ident: ::core::option::Option<&dyn ::core::fmt::Display>));
            values.push(quote!((#variable, #ident)));
        } else {
            parameters.push(quote!(#ident: impl ::core::fmt::Display));
            values.push(quote!((#variable, ::core::option::Option::Some(&#ident))));
        }
    }
    let doc = format!("Builds the URI of the resource `{}`.", callable.ident);
    Some(quote! {
        #(#conditions)*
        #[doc = #doc]
        #visibility fn #name(#(#parameters),*) -> __mcp::ResourceUri {
            __mcp::resource_uri(#uri, &[#(#values),*])
        }
    })
}
