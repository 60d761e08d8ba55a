//! Generates the implementations for `#[derive(FromContext)]` and `#[derive(Elicit)]`. The latter
//! also lets the compiler check the fields of a form.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Path};

use crate::form::Form;

/// Implements both ways in which a function may take the identity: required and optional.
pub(crate) fn identity(runtime: &Path, input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let (generics, arguments, where_clause) = input.generics.split_for_impl();
    // Unmet bounds are reported at the span of the type.
    let found = quote_spanned!(ident.span()=> __mcp::identity::<Self>);
    let body = quote_spanned! {Span::mixed_site()=>
        impl #generics __mcp::FromContext for #ident #arguments #where_clause {
            fn from_context(cx: &__mcp::Context) -> ::core::result::Result<Self, __mcp::ProtocolError> {
                #found(cx).ok_or_else(__mcp::no_identity)
            }
        }

        impl #generics __mcp::OptionalFromContext for #ident #arguments #where_clause {
            fn optional(cx: &__mcp::Context)
                -> ::core::result::Result<::core::option::Option<__mcp::ContextValue<Self>>, __mcp::ProtocolError>
            {
                ::core::result::Result::Ok(#found(cx).map(__mcp::ContextValue::made))
            }
        }
    };
    quote! {
        const _: () = {
            use #runtime::__private as __mcp;
            #body
        };
    }
}

/// Implements the form and its checks, and lets other forms use a choice as a field.
pub(crate) fn form(runtime: &Path, form: &Form) -> TokenStream {
    let Form {
        ident,
        fields,
        is_choice,
    } = form;
    let checks = fields.iter().map(|field| {
        // Unmet bounds are reported at the span of the field.
        quote_spanned!(field.span()=> (&&&__mcp::FormField::<#field>::new()).check();)
    });
    let choice = is_choice.then(|| {
        quote_spanned! {Span::mixed_site()=>
            impl __mcp::ElicitChoice for #ident {}
            impl __mcp::ElicitField for #ident {}
        }
    });
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            use #runtime::__private as __mcp;
            #[allow(unused_imports)]
            use __mcp::traits::*;

            impl __mcp::ElicitForm for #ident {}
            #choice
            #[allow(dead_code)]
            fn check() {
                #(#checks)*
            }
        };
    }
}
