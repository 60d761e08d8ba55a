//! Code around the expansion of single functions.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, ItemFn, Path, ReturnType, parse_quote};

/// `fn main` around the async one, which is as the user has written it: what does not fit its return
/// type is a mistake in there.
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
    // A type that no `main` returns is named where it stands.
    let report = quote_spanned!(returned.span()=> report());
    outer.output = parse_quote!(-> ::std::process::ExitCode);
    // An error is printed by its text, and not as `Debug` has it.
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

/// A `main` that does nothing, with the user's unusable one inside.
pub(crate) fn around(function: &ItemFn) -> TokenStream {
    quote! {
        fn main() {
            #[allow(dead_code, unused_variables)]
            #function
        }
    }
}

/// Lints that are allowed for a function whose signature is for callers, not for its body.
pub(crate) fn quiet() -> Attribute {
    parse_quote!(#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::unused_async, clippy::unused_self)])
}
