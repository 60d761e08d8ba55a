//! Generates the description of arguments.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{LitStr, Type};

use super::setter;
use crate::model::{Argument, Bounds, Flatten, Limit, Made, Rules};
use crate::types;

/// The local that holds the description of an argument while registering, and its slot during a
/// call.
pub(super) fn local(argument: &Argument) -> Ident {
    let name = format_ident!("{}", argument.ident);
    format_ident!("arg_{name}", span = Span::mixed_site())
}

/// Declares an argument whose value is JSON.
pub(super) fn value(argument: &Argument) -> TokenStream {
    let Argument { name, kind, .. } = argument;
    let description = setter("description", argument.description.as_ref());
    let rules = rules(&argument.rules);
    // With the span of the type, unmet bounds are reported at the type.
    let span = kind.span();
    let name = LitStr::new(name, span);
    let function = Ident::new(function(kind), span);
    declare(
        argument,
        &quote_spanned!(span=> __mcp::#function::<#kind>(#name) #description #rules),
    )
}

/// The function that declares an argument of this type. Types that are probably a mistake get a
/// function whose bounds explain the mistake in the compiler's message.
fn function(kind: &Type) -> &'static str {
    match types::name(kind).map(ToString::to_string).as_deref() {
        Some("Context") => "argument_called_context",
        Some("Json") => "argument_called_json",
        Some("Arc" | "Mutex" | "Rc" | "RwLock") => "shared_argument",
        _ => "argument",
    }
}

/// Declares a struct that is decoded from all arguments together.
pub(super) fn flatten(flatten: &Flatten) -> TokenStream {
    let Flatten { kind, .. } = flatten;
    let local = flatten_local();
    let described = quote_spanned!(kind.span()=> __mcp::argument::<#kind>(""));
    quote_spanned! {Span::mixed_site()=>
        let #local = builder.flatten(#described);
    }
}

/// The local that holds the struct with all arguments.
pub(super) fn flatten_local() -> Ident {
    Ident::new("arguments", Span::mixed_site())
}

/// Declares an argument whose value is a string.
pub(super) fn text(argument: &Argument) -> TokenStream {
    let Argument { name, kind, .. } = argument;
    let description = setter("description", argument.description.as_ref());
    let span = kind.span();
    let name = LitStr::new(name, span);
    declare(
        argument,
        &quote_spanned!(span=> __mcp::Text::<#kind>::new().argument(#name) #description),
    )
}

fn declare(argument: &Argument, description: &TokenStream) -> TokenStream {
    let local = local(argument);
    quote_spanned! {Span::mixed_site()=>
        let #local = builder.argument(#description);
    }
}

fn rules(rules: &Rules) -> TokenStream {
    let default = rules.default.as_ref().map(|value| made("default", value));
    let example = rules.example.as_ref().map(|value| made("example", value));
    let range = rules.range.as_ref().map(|range| bounds("range", range));
    let length = rules.length.as_ref().map(|length| bounds("length", length));
    let pattern = rules
        .pattern
        .as_ref()
        .map(|pattern| quote_spanned!(pattern.span()=> .checked_pattern(#pattern)));
    let header = rules
        .header
        .as_ref()
        .map(|name| quote_spanned!(name.span()=> .header(#name)));
    let lenient = rules.lenient.then(|| quote!(.lenient()));
    quote!(#default #example #range #length #pattern #header #lenient)
}

/// A call of the setter `name`, which takes a function that creates the value.
fn made(name: &str, made: &Made) -> TokenStream {
    let (Made::Is(expr) | Made::By(expr)) = made;
    let name = Ident::new(name, expr.span());
    match made {
        Made::Is(value) => quote_spanned!(value.span()=> .#name(|| #value)),
        Made::By(function) => quote_spanned!(function.span()=> .#name(#function)),
    }
}

fn bounds(name: &str, bounds: &Bounds) -> TokenStream {
    let name = format_ident!("{name}", span = bounds.span);
    let [from, to] = [&bounds.from, &bounds.to].map(|limit| match limit {
        Limit::Included(bound) => quote!(__mcp::Bound::Included(#bound)),
        Limit::Excluded(bound) => quote!(__mcp::Bound::Excluded(#bound)),
        Limit::Unbounded => quote!(__mcp::Bound::Unbounded),
    });
    quote_spanned!(bounds.span=> .#name(#from, #to))
}
