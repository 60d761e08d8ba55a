//! Generates `main`, and attributes for single functions.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, ItemFn, Path, ReturnType, parse_quote};

/// Generates a `fn main` around the user's async one, whose code stays unchanged so that type
/// errors are reported inside it.
pub(crate) fn main(runtime: &Path, function: &ItemFn) -> TokenStream {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = function;
    let mut outer = sig.clone();
    outer.asyncness = None;
    let ReturnType::Type(_, returned) = &sig.output else {
        return quote! {
            #(#attrs)*
            #vis #outer {
                #sig #block
                #runtime::__private::block_on(main())
            }
        };
    };
    // If `main` cannot return this type, the compiler reports it at the type.
    let report = quote_spanned!(returned.span()=> report());
    outer.output = parse_quote!(-> ::std::process::ExitCode);
    // The error is printed with `Display`, where std would use `Debug`.
    quote! {
        #(#attrs)*
        #vis #outer {
            #[allow(unused_imports)]
            use #runtime::__private::main_error::{ByError as _, ByPointer as _, ByTermination as _, ByText as _};
            #sig #block
            let ended = #runtime::__private::block_on(main());
            #[allow(clippy::needless_borrow)]
            let code = (&&&&#runtime::__private::main_error::Ended::new(ended)).#report;
            code
        }
    }
}

/// Generates an empty `main` that contains the user's invalid function.
pub(crate) fn around(function: &ItemFn) -> TokenStream {
    quote! {
        fn main() {
            #[allow(dead_code, unused_variables)]
            #function
        }
    }
}

/// The lints to allow for a function whose signature is meant for callers, not for its body.
pub(crate) fn quiet() -> Attribute {
    parse_quote!(#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::unused_async, clippy::unused_self)])
}
