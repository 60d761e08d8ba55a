//! Code by which the compiler checks the fields of a form.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Path;
use syn::spanned::Spanned as _;

use crate::form::Form;

/// The check, and what makes a choice a field of other forms.
pub(crate) fn form(runtime: &Path, form: &Form) -> TokenStream {
    let Form {
        ident,
        fields,
        is_choice,
    } = form;
    let checks = fields.iter().map(|field| {
        // With the field's own span, what does not hold is reported there.
        quote_spanned!(field.span()=> __mcp::form_field::<#field>();)
    });
    let choice = is_choice.then(|| {
        quote_spanned! {Span::mixed_site()=>
            impl __mcp::FormChoice for #ident {}
            impl __mcp::FormField for #ident {}
        }
    });
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            use #runtime::__private as __mcp;
            #choice
            #[allow(dead_code)]
            fn check() {
                #(#checks)*
            }
        };
    }
}
