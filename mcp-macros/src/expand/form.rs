//! The implementation of a form, and code by which the compiler checks its fields.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Path;
use syn::spanned::Spanned as _;

use crate::form::Form;

/// The implementation, the check, and what makes a choice a field of other forms.
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
