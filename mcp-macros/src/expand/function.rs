//! Generates the registration of one function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned as _;

use super::{arguments, cache, call, scopes, setter, uri};
use crate::model::{Callable, Function, Helper, Kind, Output, Resource, Running, Tool};
use crate::tool::nested;

/// The parts of a registration that depend on the kind of function.
struct Parts {
    /// The builder, with the settings that only this kind has.
    builder: TokenStream,
    arguments: Vec<TokenStream>,
    /// The conversion of the return type into a result.
    convert: TokenStream,
}

pub(super) fn register(function: &Function) -> TokenStream {
    let conditions = &function.callable.conditions;
    let register = match &function.kind {
        Kind::Tool(_) => format_ident!("tool"),
        Kind::Prompt => format_ident!("prompt"),
        Kind::Resource(_) => format_ident!("resource"),
    };
    let entry = entry(function);
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        __server.#register({ #entry });
    }
}

/// Generates the statements that build an entry, and the entry as the last expression.
pub(super) fn entry(function: &Function) -> TokenStream {
    let Function { callable, name, .. } = function;
    let Parts {
        builder,
        arguments,
        convert,
    } = match &function.kind {
        Kind::Tool(declared) => tool(name, callable, declared),
        Kind::Prompt => prompt(name, callable),
        Kind::Resource(declared) => resource(function, declared),
    };
    let title = setter("title", function.title.as_ref());
    let description = setter("description", function.description.as_ref());
    let icons = setter("icons", function.icons.as_ref());
    let meta = setter("meta", function.meta.as_ref());
    let completers = callable.arguments().filter_map(|argument| {
        let completer = argument.complete.as_ref()?;
        Some(complete(&argument.name, completer, &function.running))
    });
    let visible = visible(&function.visible);
    let scopes = scopes(&function.scopes);
    let (this, call) = call::call(callable, &function.running);
    let asking = callable.questions().next().map(|_| quote!(.asking()));
    let entry = quote_spanned! {Span::mixed_site()=>
        builder.entry(move |call| { #call }) #visible #scopes #asking
    };
    let entry = match &function.kind {
        Kind::Tool(tool) => tool.with.iter().fold(entry, with),
        _ => entry,
    };
    quote_spanned! {Span::mixed_site()=>
        let mut builder = #builder #title #description #icons #meta;
        #(#arguments)*
        #(#completers)*
        let convert = #convert;
        #this
        #entry
    }
}

fn with(entry: TokenStream, extension: &Expr) -> TokenStream {
    // With the span of the expression, unmet bounds are reported at it.
    quote_spanned!(extension.span()=> __mcp::tool_with(#entry, #extension))
}

fn tool(name: &str, callable: &Callable, tool: &Tool) -> Parts {
    let hints = tool
        .hints
        .iter()
        .map(|(hint, value)| quote!(.#hint(#value)));
    let strict = tool.strict.then(|| quote!(.strict()));
    let text_only = matches!(tool.output, Output::TextOnly).then(|| quote!(.text_only()));
    let output = &callable.output;
    let convert = if let Output::Of(schema) = &tool.output {
        quote_spanned!(Span::mixed_site()=> builder.returns_whole::<#schema, #output>())
    } else {
        // Method lookup decides how to convert the value, once the type is known.
        let returned = quote_spanned! {callable.output_span=>
            (&&&&&__mcp::Returned::<#output>::new()).output()
        };
        quote_spanned!(Span::mixed_site()=> builder.returns(#returned))
    };
    Parts {
        builder: quote!(__mcp::ToolBuilder::new(#name) #(#hints)* #strict #text_only),
        arguments: callable
            .arguments()
            .map(arguments::value)
            .chain(callable.flatten().map(arguments::flatten))
            .collect(),
        convert,
    }
}

fn prompt(name: &str, callable: &Callable) -> Parts {
    let output = &callable.output;
    Parts {
        builder: quote!(__mcp::PromptBuilder::new(#name)),
        arguments: callable.arguments().map(arguments::text).collect(),
        convert: quote_spanned!(callable.output_span=> __mcp::prompt_output::<#output>()),
    }
}

fn resource(function: &Function, resource: &Resource) -> Parts {
    let Function { callable, name, .. } = function;
    let output = &callable.output;
    let uri = uri::text(&resource.uri);
    let mime = setter("mime", resource.mime.as_ref());
    let size = setter("size", resource.size.as_ref());
    let annotations = setter("annotations", resource.annotations.as_ref());
    let cache = resource.cache.as_ref().map(cache);
    let subscribe = resource.subscribe.then(|| quote!(.subscribable()));
    let list = resource.list.as_ref();
    let list = list.map(|lister| list_by(lister, &function.running));
    let mut arguments: Vec<TokenStream> = callable.arguments().map(arguments::text).collect();
    arguments.extend(list);
    Parts {
        builder: quote!(__mcp::resource_builder(#name, #uri) #mime #size #annotations #cache #subscribe),
        arguments,
        convert: quote_spanned!(callable.output_span=> __mcp::resource_output::<#output>()),
    }
}

fn complete(argument: &str, completer: &Helper, running: &Running) -> TokenStream {
    let Helper { path, has_self, .. } = completer;
    let (this, again, receiver) = shared(*has_self);
    let request = quote_spanned!(path.span().resolved_at(Span::mixed_site())=> &request);
    let future = future(completer, running, quote!(#path(#receiver #request)));
    let function = quote_spanned!(Span::mixed_site()=> move |request| { #again #future });
    // With the span of the path, unmet bounds are reported at it.
    let completer = quote_spanned!(path.span()=> __mcp::completer(#function));
    quote_spanned! {Span::mixed_site()=>
        builder.complete(#argument, { #this #completer });
    }
}

/// Registers the lister of a resource template, for `resources/list`.
fn list_by(lister: &Helper, running: &Running) -> TokenStream {
    let Helper { path, has_self, .. } = lister;
    let (this, again, receiver) = shared(*has_self);
    let future = future(lister, running, quote!(#path(#receiver)));
    let function = quote_spanned!(Span::mixed_site()=> move || { #again #future });
    // With the span of the path, unmet bounds are reported at it.
    let builder = quote_spanned!(Span::mixed_site()=> &mut builder);
    let list = quote_spanned!(path.span()=> __mcp::list(#builder, #function));
    quote_spanned! {Span::mixed_site()=>
        { #this #list }
    }
}

/// Wraps `call`, a call of a function that may be async, in a future.
fn future(helper: &Helper, running: &Running, call: TokenStream) -> TokenStream {
    if helper.is_plain && running.blocking_helpers {
        return quote_spanned!(Span::mixed_site()=> __mcp::blocking(move || #call));
    }
    quote_spanned!(Span::mixed_site()=> async move { __mcp::MaybeAsync(#call).future().await })
}

fn visible(conditions: &[Helper]) -> Option<TokenStream> {
    let (this, ..) = shared(conditions.iter().any(|condition| condition.has_self));
    let cx = quote_spanned!(Span::mixed_site()=> cx);
    let calls = conditions.iter().map(|Helper { path, has_self, .. }| {
        let (.., receiver) = shared(*has_self);
        // With the span of the path, unmet bounds are reported at it.
        let span = path.span();
        let cx = quote_spanned!(span.resolved_at(Span::mixed_site())=> cx);
        quote_spanned!(span=> #path(#receiver #cx))
    });
    (!conditions.is_empty()).then(|| {
        quote_spanned! {Span::mixed_site()=>
            .visible_to({ #this move |#cx| #(#calls)&&* })
        }
    })
}

/// The code that shares the server with a closure: its capture, its clone for each call, and the
/// argument that passes it. Each part is `None` if the function does not take the server.
pub(super) fn shared(
    has_self: bool,
) -> (
    Option<TokenStream>,
    Option<TokenStream>,
    Option<TokenStream>,
) {
    let part = |tokens: TokenStream| has_self.then_some(tokens);
    (
        part(quote_spanned!(Span::mixed_site()=> let this = __mcp::Arc::clone(&self);)),
        part(quote_spanned!(Span::mixed_site()=> let this = __mcp::Arc::clone(&this);)),
        part(quote_spanned!(Span::mixed_site()=> &this,)),
    )
}

pub(super) fn warnings(function: &Function) -> TokenStream {
    let conditions = &function.callable.conditions;
    let undocumented = function.warns_undocumented.then(|| {
        let note = "the tool has no description for models to choose it by: write a doc comment, or `#[mcp_server(undocumented = \"allow\")]`";
        warning(&function.callable.ident, note)
    });
    let nested = nested(function).map(|argument| {
        let name = &argument.name;
        let note = format!("callers send `{{\"{name}\": {{…}}}}`: write `#[arg(flatten)]` if the fields are the arguments, or `#[arg(nested)]` if this is intended");
        warning(&argument.ident, &note)
    });
    let effects = function.effects.iter().map(|called| {
        let note = "this runs again when the question below is answered, in 2026-07-28: move it behind the question or into `cx.once(…)`, or ask with a parameter under `#[elicit(\"…\")]`; `let _ = …` if it has no effect";
        warning(called, note)
    });
    let warnings = undocumented.into_iter().chain(nested).chain(effects);
    warnings
        .map(|warning| quote!(#(#conditions)* #warning))
        .collect()
}

/// Generates a warning at the first function of a block that offers nothing.
pub(super) fn unmarked(ident: &Ident) -> TokenStream {
    let note = "this block offers no function: write `#[tool]`, `#[prompt]` or `#[resource(\"…\")]` above at least one";
    warning(ident, note)
}

/// Generates a warning at `ident`. A macro can only warn by using something deprecated. It uses a
/// deprecated macro, because rustc then reports only its name.
fn warning(ident: &Ident, note: &str) -> TokenStream {
    quote! {
        const _: () = {
            #[deprecated(note = #note)]
            macro_rules! #ident { () => {}; }
            #ident!();
        };
    }
}
