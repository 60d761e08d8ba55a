//! The registration of a function that the server runs by itself.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned as _;

use super::function::shared;
use crate::model::{Hook, Moment};

/// One hook's registration.
pub(super) fn register(hook: &Hook) -> TokenStream {
    let Hook {
        path,
        conditions,
        output,
        ..
    } = hook;
    let register = match hook.moment {
        Moment::Start => "on_start",
        Moment::Initialized => "on_initialized",
        Moment::Shutdown => "on_shutdown",
    };
    let register = format_ident!("{register}");
    // With the type's own span, what does not hold is reported at the type.
    let outcome = quote_spanned!(output.span()=> __mcp::outcome::<#output>);
    let (this, again, receiver) = shared(hook.has_self);
    let passed = match (hook.moment, hook.takes_client) {
        (Moment::Initialized, true) => Some(quote_spanned!(Span::mixed_site()=> client)),
        (Moment::Initialized, false) => Some(quote_spanned!(Span::mixed_site()=> _)),
        (Moment::Start | Moment::Shutdown, _) => None,
    };
    let client = hook
        .takes_client
        .then(|| quote_spanned!(Span::mixed_site()=> &client));
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        __server.#register({
            #this
            move |#passed| {
                #again
                async move { #outcome(__mcp::MaybeAsync(#path(#receiver #client)).future().await) }
            }
        });
    }
}
