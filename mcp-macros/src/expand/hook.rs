//! Generates the registration of a hook.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned as _;

use super::function::shared;
use crate::model::{Hook, Moment};

pub(super) fn register(hook: &Hook) -> TokenStream {
    let Hook {
        path,
        conditions,
        output,
        ..
    } = hook;
    let register = format_ident!(
        "{}",
        match hook.moment {
            Moment::Start => "on_start",
            Moment::Initialized => "on_initialized",
            Moment::Shutdown => "on_shutdown",
        }
    );
    // With the span of the type, unmet bounds are reported at the type.
    let outcome = quote_spanned!(output.span()=> __mcp::outcome::<#output>);
    let (this, again, receiver) = shared(hook.has_self);
    let passed = match (hook.moment, hook.subject_span) {
        (Moment::Shutdown, _) => None,
        (_, Some(_)) => Some(quote_spanned!(Span::mixed_site()=> subject)),
        (_, None) => Some(quote_spanned!(Span::mixed_site()=> _)),
    };
    // With the span of the parameter, a wrong type is reported at the parameter.
    let subject = hook
        .subject_span
        .map(|span| quote_spanned!(span.resolved_at(Span::mixed_site())=> &subject));
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        __server.#register({
            #this
            move |#passed| {
                #again
                async move { #outcome(__mcp::MaybeAsync(#path(#receiver #subject)).future().await) }
            }
        });
    }
}
