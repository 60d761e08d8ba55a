//! Generates a function that is registered by its name.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{FnArg, ItemFn, Path, ReturnType, Type, parse_quote};

use super::{function, uri};
use crate::model::{Function, Kind};
use crate::types::optional_reference;
use crate::{docs, signature};

/// Replaces the function with a unit struct of the same name, which registers the function and can
/// be called like it.
pub(crate) fn free(runtime: &Path, item: &ItemFn, variants: &[Function]) -> TokenStream {
    let Some(function) = variants.first() else {
        return TokenStream::new();
    };
    let ItemFn { vis, sig, .. } = item;
    let name = &sig.ident;
    let docs = item
        .attrs
        .iter()
        .filter(|attribute| docs::is_doc(attribute));
    let conditions = signature::conditions(&item.attrs);
    let (offered, kind, method) = match &function.kind {
        Kind::Tool(_) => ("IntoTool", "ToolEntry", "into_tool"),
        Kind::Prompt => ("IntoPrompt", "PromptEntry", "into_prompt"),
        Kind::Resource(_) => ("IntoResource", "ResourceEntry", "into_resource"),
    };
    let [offered, kind, method] = [offered, kind, method].map(|name| format_ident!("{name}"));
    let entries = variants.iter().map(|function| {
        let conditions = &function.callable.conditions;
        let entry = function::entry(function);
        match variants.len() {
            1 => entry,
            _ => quote!(#(#conditions)* { #entry }),
        }
    });
    let called = called(item);
    let warnings = variants.iter().map(function::warnings);
    let uris = variants.iter().filter_map(|function| {
        let uri = uri::builder(function, &format_ident!("uri"))?;
        Some(quote!(impl #name { #uri }))
    });
    quote_spanned! {Span::mixed_site()=>
        #(#docs)*
        #(#conditions)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #vis struct #name;

        #(#conditions)*
        const _: () = {
            use #runtime::__private as __mcp;
            #[allow(unused_imports)]
            use __mcp::traits::*;

            #(#warnings)*
            #item
            #called
            #(#uris)*

            #[allow(deprecated)]
            impl __mcp::#offered for #name {
                fn #method(self) -> __mcp::#kind {
                    #(#entries)*
                }
            }
        };
    }
}

/// Implements `Deref` to a function pointer, which makes the type callable.
fn called(item: &ItemFn) -> TokenStream {
    let name = &item.sig.ident;
    let is_async = item.sig.asyncness.is_some();
    let mut borrows = false;
    let inputs = item.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some((&typed.attrs, typed.ty.as_ref().clone())),
        FnArg::Receiver(_) => None,
    });
    let (conditions, types): (Vec<_>, Vec<Type>) = inputs
        .map(|(attributes, kind)| {
            let conditions = signature::conditions(attributes);
            (quote!(#(#conditions)*), with_lifetime(kind, &mut borrows))
        })
        .unzip();
    let output = match &item.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, kind) => quote!(#kind),
    };
    let values: Vec<_> = (0..types.len())
        .map(|index| format_ident!("value_{index}"))
        .collect();
    let lifetime = borrows.then(|| quote!(for<'__mcp>));
    let bound = if borrows {
        quote!('__mcp)
    } else {
        quote!('static)
    };
    let (output, function) = if is_async {
        (
            quote!(__mcp::Pin<__mcp::Box<dyn ::core::future::Future<Output = #output> + Send + #bound>>),
            quote!(|#(#conditions #values),*| __mcp::Box::pin(#name(#(#conditions #values),*))),
        )
    } else {
        (output, quote!(#name))
    };
    quote! {
        #[allow(deprecated)]
        impl ::core::ops::Deref for #name {
            type Target = #lifetime fn(#(#conditions #types),*) -> #output;

            fn deref(&self) -> &Self::Target {
                const FUNCTION: #lifetime fn(#(#conditions #types),*) -> #output = #function;
                &FUNCTION
            }
        }
    }
}

/// Names the lifetime of a reference to let the result borrow for this lifetime.
fn with_lifetime(kind: Type, borrows: &mut bool) -> Type {
    let (reference, is_optional) = match (&kind, optional_reference(&kind)) {
        (Type::Reference(reference), _) => (reference, false),
        (_, Some(reference)) => (reference, true),
        _ => return kind,
    };
    *borrows = true;
    let mut reference = reference.clone();
    reference.lifetime = Some(syn::Lifetime::new("'__mcp", Span::mixed_site()));
    if is_optional {
        parse_quote!(::core::option::Option<#reference>)
    } else {
        Type::Reference(reference)
    }
}
