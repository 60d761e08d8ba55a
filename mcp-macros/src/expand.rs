//! The model as Rust: the only place that writes code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, Generics, ItemFn, LitStr, Path, WherePredicate, parse_quote,
    parse_quote_spanned,
};

use crate::model::{
    Argument, Bounds, Callable, Info, Limit, Made, Parameter, Rules, Running, Server, Tool,
};

/// The implementation of `McpServer`.
pub(crate) fn server(server: &Server) -> TokenStream {
    let Server {
        runtime, self_type, ..
    } = server;
    let generics = bounded(server);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let info = info(&server.info);
    let tools = server.tools.iter().map(tool);
    let body = quote_spanned! {Span::mixed_site()=>
        #info
        #(#tools)*
    };
    quote_spanned! {Span::mixed_site()=>
        const _: () = {
            use #runtime::__private as __mcp;
            #[allow(unused_imports)]
            use __mcp::forms::*;

            impl #impl_generics __mcp::McpServer for #self_type #where_clause {
                fn register(self: __mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder) {
                    #body
                }
            }
        };
    }
}

/// What a function need not hear whose signature is what callers see, not what its body needs.
pub(crate) fn quiet() -> Attribute {
    parse_quote!(#[allow(clippy::needless_pass_by_value, clippy::unused_async, clippy::unused_self)])
}

/// The generics of the block, with what it takes to share the server between calls.
///
/// The bound stands on the type itself, which asks for no more than needed, and makes a type that
/// cannot be shared one error instead of one for each tool. Where the type has lifetimes, the
/// compiler can't use such a bound inside a future, so that it stands on each parameter.
fn bounded(server: &Server) -> Generics {
    let mut generics = server.generics.clone();
    let self_type = &server.self_type;
    let has_lifetimes = generics.lifetimes().next().is_some();
    let mut predicates: Vec<WherePredicate> = Vec::new();
    if has_lifetimes {
        for lifetime in generics.lifetimes() {
            let lifetime = &lifetime.lifetime;
            predicates.push(parse_quote!(#lifetime: 'static));
        }
        for parameter in generics.type_params() {
            let ident = &parameter.ident;
            predicates
                .push(parse_quote!(#ident: ::core::marker::Send + ::core::marker::Sync + 'static));
        }
    } else {
        predicates.push(parse_quote_spanned! {self_type.span()=>
            #self_type: ::core::marker::Send + ::core::marker::Sync + 'static
        });
    }
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// `fn main` around an async body.
pub(crate) fn main(runtime: &Path, function: &ItemFn) -> TokenStream {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = function;
    quote! {
        #(#attrs)*
        #vis #sig {
            #runtime::__private::block_on(async move #block)
        }
    }
}

/// A `main` that does nothing, with the user's unusable one inside.
pub(crate) fn around(function: &ItemFn) -> TokenStream {
    quote! {
        fn main() {
            #[allow(dead_code)]
            #function
        }
    }
}

fn info(info: &Info) -> TokenStream {
    let name = or_package(info.name.as_ref(), "CARGO_PKG_NAME");
    let version = or_package(info.version.as_ref(), "CARGO_PKG_VERSION");
    let title = setter("with_title", info.title.as_ref());
    let description = setter("with_description", info.description.as_ref());
    let website = setter("with_website_url", info.website.as_ref());
    let icons = info
        .icons
        .as_ref()
        .map(|icons| quote!(.with_icons(__mcp::icons(#icons))));
    let instructions = info
        .instructions
        .as_ref()
        .map(|text| quote_spanned!(Span::mixed_site()=> __server.instructions(#text);));
    quote_spanned! {Span::mixed_site()=>
        __server.info(__mcp::implementation(#name, #version) #title #description #website #icons);
        #instructions
    }
}

fn or_package(given: Option<&Expr>, variable: &str) -> TokenStream {
    match given {
        Some(given) => quote!(#given),
        None => quote!(::core::env!(#variable)),
    }
}

fn setter(name: &str, value: Option<&Expr>) -> Option<TokenStream> {
    let name = format_ident!("{name}");
    value.map(|value| quote!(.#name(#value)))
}

/// One tool's registration.
fn tool(tool: &Tool) -> TokenStream {
    let Tool { callable, name, .. } = tool;
    let title = setter("title", tool.title.as_ref());
    let description = setter("description", tool.description.as_ref());
    let icons = setter("icons", tool.icons.as_ref());
    let meta = setter("meta", tool.meta.as_ref());
    let text_only = tool.text_only.then(|| quote!(.text_only()));
    let hints = tool
        .hints
        .iter()
        .map(|(hint, value)| quote!(.#hint(#value)));
    let strict = tool.strict.then(|| quote!(.strict()));
    let arguments = callable.arguments().map(declare);
    let form = form(callable);
    let (this, call) = call(callable, &tool.running);
    let conditions = &callable.conditions;
    let undocumented = tool.warns_undocumented.then(|| undocumented(callable));
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        {
            #undocumented
            let mut tool = __mcp::ToolSpec::new(#name)
                #title #description #(#hints)* #icons #meta #strict #text_only;
            #(#arguments)*
            let form = tool.returns(#form);
            #this
            __server.tool_route(tool.route(move |call| { #call }));
        }
    }
}

/// A warning, in the one way that a macro has: the use of something deprecated.
fn undocumented(callable: &Callable) -> TokenStream {
    let name = format_ident!("{}_has_no_description", callable.ident.unraw());
    let name = Ident::new(&name.to_string(), callable.ident.span());
    quote! {
        #[deprecated(note = "models choose by descriptions: write a doc comment, or `#[mcp_server(undocumented = \"allow\")]`")]
        #[allow(non_upper_case_globals)]
        const #name: () = ();
        let () = #name;
    }
}

/// The local that holds an argument's description and, in the call, its slot.
fn local(argument: &Argument) -> Ident {
    let name = format_ident!("{}", argument.ident);
    format_ident!("arg_{name}", span = Span::mixed_site())
}

fn declare(argument: &Argument) -> TokenStream {
    let Argument { name, kind, .. } = argument;
    let local = local(argument);
    let description = setter("description", argument.description.as_ref());
    let rules = rules(&argument.rules);
    // With the type's own span, what does not hold is reported at the type.
    let span = kind.span();
    let name = LitStr::new(name, span);
    let argument = quote_spanned! {span=>
        __mcp::argument::<#kind>(#name) #description #rules
    };
    quote_spanned! {Span::mixed_site()=>
        let #local = tool.argument(#argument);
    }
}

fn rules(rules: &Rules) -> TokenStream {
    let default = rules.default.as_ref().map(|value| made("default", value));
    let example = rules.example.as_ref().map(|value| made("example", value));
    let range = rules.range.as_ref().map(|range| bounds("range", range));
    let length = rules.length.as_ref().map(|length| bounds("length", length));
    let header = rules
        .header
        .as_ref()
        .map(|name| quote_spanned!(name.span()=> .header(#name)));
    quote!(#default #example #range #length #header)
}

/// A setter that makes its value itself.
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

/// How the return type becomes a result, decided where the type is known.
fn form(callable: &Callable) -> TokenStream {
    let output = &callable.output;
    quote_spanned! {callable.output_span=>
        {
            let returned = __mcp::Returned::<#output>::new();
            returned.of((&&&returned.success()).form())
        }
    }
}

/// The capture of the server, and the closure's body.
fn call(callable: &Callable, running: &Running) -> (Option<TokenStream>, TokenStream) {
    let function = &callable.ident;
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
    let invoke = quote_spanned!(Span::mixed_site()=> Self::#function(#receiver #(#values),*));
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
        (None, _) => quote_spanned!(Span::mixed_site()=> __mcp::ready(form, #invoke)),
        (Some(future), None) => quote_spanned! {span=>
            #own_this
            __mcp::pending(form, #future)
        },
        (Some(future), Some(milliseconds)) => quote_spanned! {span=>
            #own_this
            __mcp::timed(form, #milliseconds, #future)
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
            Parameter::Context(kind) => {
                let local = format_ident!("context_{index}", span = Span::mixed_site());
                bindings.push(quote_spanned! {Span::mixed_site()=>
                    let #local = call.context::<#kind>()?;
                });
                values.push(quote_spanned!(Span::mixed_site()=> &#local));
            }
        }
    }
    (bindings, values)
}
