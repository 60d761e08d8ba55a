//! Generates the code that calls the user's function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::arguments::{flatten_local, local};
use super::function::shared;
use crate::model::{Callable, Condition, Parameter, Question, Running};
use crate::question::names;

/// Returns the statement that captures the server, and the body of the closure.
pub(super) fn call(callable: &Callable, running: &Running) -> (Option<TokenStream>, TokenStream) {
    let function = &callable.path;
    let asks = callable.questions().next().is_some();
    let locals: Vec<Ident> = callable.arguments().map(local).collect();
    let read = (!locals.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #(let mut #locals = #locals.slot();)*
            call.read(&mut [#(&mut #locals),*])?;
        }
    });
    let (bindings, values) = values(callable);
    let (.., receiver) = shared(callable.has_self);
    let invoke = quote_spanned!(Span::mixed_site()=> #function(#receiver #(#values),*));
    let mut conditions = callable.questions().filter_map(|it| it.when.as_ref());
    let (this, own_this, _) = shared(callable.has_self || conditions.any(|when| when.has_self));
    let future = if callable.is_async {
        Some(quote_spanned!(Span::mixed_site()=> async move { #invoke.await }))
    } else if running.blocking {
        Some(quote_spanned!(Span::mixed_site()=> __mcp::blocking(move || #invoke)))
    } else {
        None
    };
    let span = callable.ident.span().resolved_at(Span::mixed_site());
    let limit = running.timeout.filter(|_| future.is_some());
    let limit = limit.map(
        |milliseconds| quote_spanned!(Span::mixed_site()=> let limit = call.limit(#milliseconds);),
    );
    let own_this = own_this.filter(|_| future.is_some() || asks);
    let answer = match (future, &limit) {
        (None, _) => quote_spanned!(Span::mixed_site()=> __mcp::ready(convert, #invoke)),
        (Some(future), None) => quote_spanned!(span=> __mcp::pending(convert, #future)),
        (Some(future), Some(_)) => quote_spanned!(span=> limit.pending(convert, #future)),
    };
    let answer = if asks {
        asked(callable, &answer)
    } else {
        answer
    };
    let body = quote_spanned!(Span::mixed_site()=> #read #(#bindings)* #limit #own_this #answer);
    (this, body)
}

/// Asks all questions, and then runs `answer`, which calls the function with the answers.
fn asked(callable: &Callable, answer: &TokenStream) -> TokenStream {
    let questions = callable
        .questions()
        .map(|question| asks(callable, question));
    let answers = callable.questions().map(answered);
    quote_spanned! {Span::mixed_site()=>
        let cx = call.context::<__mcp::Context>()?;
        __mcp::ask(call.context, async move {
            let questions = (#(#questions,)*);
            __mcp::ParameterQuestions { questions, enter: move |(#(#answers,)*)| { #answer } }
        })
    }
}

/// Generates one question, which is skipped if its condition is false.
fn asks(callable: &Callable, question: &Question) -> TokenStream {
    let Question { kind, message, .. } = question;
    let names = names(message);
    let values = callable.arguments().filter_map(|argument| {
        let name = argument.ident.unraw();
        let mut value = local(argument);
        // If the argument does not implement `Display`, the compiler reports it at the message.
        value.set_span(value.span().located_at(message.span()));
        names
            .contains(&name.to_string())
            .then(|| quote!(#name = #value))
    });
    let message = quote_spanned!(message.span()=> ::core::format_args!(#message, #(#values),*));
    let name = question.ident.unraw().to_string();
    let name = name.trim_start_matches('_');
    let cx = quote_spanned!(Span::mixed_site()=> &cx);
    // With the span of the type, unmet bounds are reported at the type.
    let Some(Condition {
        path,
        has_self,
        parameters,
    }) = &question.when
    else {
        return quote_spanned!(kind.span()=> __mcp::question::<#kind>(#cx, #name, #message));
    };
    let (.., receiver) = shared(*has_self);
    let arguments = parameters.iter().filter_map(|parameter| {
        let mut arguments = callable.arguments();
        let argument = arguments.find(|argument| argument.ident == *parameter)?;
        let value = local(argument);
        Some(quote_spanned!(Span::mixed_site()=> &#value))
    });
    // Unmet bounds are reported at the span of the path.
    let holds = quote_spanned!(path.span()=> __mcp::MaybeAsync(#path(#receiver #(#arguments),*)));
    let ask = quote_spanned!(kind.span()=> __mcp::question_if::<#kind>);
    quote_spanned! {path.span().resolved_at(Span::mixed_site())=>
        {
            let holds = #holds.future().await;
            #ask(holds, #cx, #name, #message)
        }
    }
}

/// The local that holds the answer to `question`.
fn answered(question: &Question) -> Ident {
    format_ident!(
        "answer_{}",
        question.ident.unraw(),
        span = Span::mixed_site()
    )
}

/// Returns the statements that prepare the parameters, and the expressions to pass.
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
            Parameter::Question(question) => {
                let local = answered(question);
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
