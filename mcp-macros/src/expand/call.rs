//! From a call to the user's function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::arguments::{flatten_local, local};
use crate::model::{Callable, Parameter, Running};

/// The capture of the server, and the closure's body.
pub(super) fn call(callable: &Callable, running: &Running) -> (Option<TokenStream>, TokenStream) {
    let function = &callable.path;
    let locals: Vec<Ident> = callable.arguments().map(local).collect();
    let read = (!locals.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #(let mut #locals = #locals.slot();)*
            call.read(&mut [#(&mut #locals),*])?;
        }
    });
    let (bindings, values) = values(callable);
    let receiver = callable
        .has_self
        .then(|| quote_spanned!(Span::mixed_site()=> &this,));
    let invoke = quote_spanned!(Span::mixed_site()=> #function(#receiver #(#values),*));
    let this = callable
        .has_self
        .then(|| quote_spanned!(Span::mixed_site()=> let this = __mcp::Arc::clone(&self);));
    let own_this = callable
        .has_self
        .then(|| quote_spanned!(Span::mixed_site()=> let this = __mcp::Arc::clone(&this);));
    let future = if callable.is_async {
        Some(quote_spanned!(Span::mixed_site()=> async move { #invoke.await }))
    } else if running.blocking {
        Some(quote_spanned!(Span::mixed_site()=> __mcp::blocking(move || #invoke)))
    } else {
        None
    };
    let span = callable.ident.span().resolved_at(Span::mixed_site());
    let answer = match (future, running.timeout) {
        (None, _) => quote_spanned!(Span::mixed_site()=> __mcp::ready(convert, #invoke)),
        (Some(future), None) => quote_spanned! {span=>
            #own_this
            __mcp::pending(convert, #future)
        },
        (Some(future), Some(milliseconds)) => quote_spanned! {span=>
            #own_this
            call.timed(convert, #milliseconds, #future)
        },
    };
    let body = quote_spanned!(Span::mixed_site()=> #read #(#bindings)* #answer);
    (this, body)
}

/// The values passed to the function, and the statements that make them.
fn values(callable: &Callable) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let mut bindings = Vec::new();
    let mut values = Vec::new();
    for (index, parameter) in callable.parameters.iter().enumerate() {
        match parameter {
            Parameter::Argument(argument) => {
                let local = local(argument);
                bindings.push(quote_spanned!(Span::mixed_site()=> let #local = #local.take()?;));
                values.push(quote!(#local));
            }
            Parameter::Flatten(_) => {
                let local = flatten_local();
                bindings.push(quote_spanned! {Span::mixed_site()=>
                    let #local = call.flatten(&#local)?;
                });
                values.push(quote!(#local));
            }
            Parameter::Context(kind) => {
                let local = format_ident!("context_{index}", span = Span::mixed_site());
                bindings.push(quote_spanned! {Span::mixed_site()=>
                    let #local = call.context::<#kind>()?;
                });
                values.push(quote_spanned!(Span::mixed_site()=> &#local));
            }
            Parameter::OptionalContext(kind) => {
                let local = format_ident!("context_{index}", span = Span::mixed_site());
                bindings.push(quote_spanned! {Span::mixed_site()=>
                    let #local = call.optional::<#kind>()?;
                });
                values.push(quote_spanned!(Span::mixed_site()=> #local.as_deref()));
            }
        }
    }
    (bindings, values)
}
