//! The implementation of `FromContext` for the caller's identity.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Path};

/// Both ways in which a function may take the identity.
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
                -> ::core::result::Result<::core::option::Option<__mcp::Borrowed<Self>>, __mcp::ProtocolError>
            {
                ::core::result::Result::Ok(#found(cx).map(__mcp::Borrowed::made))
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
