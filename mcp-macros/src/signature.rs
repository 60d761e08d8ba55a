//! Reads a function's signature, and removes our attributes from it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{
    Attribute, FnArg, Pat, PatType, Path, Receiver, ReceiverKind, ReturnType, Safety, Signature,
    Type, TypeImplTrait, TypeReference, parse_quote, parse_quote_spanned,
};

use crate::argument::{self, Expected};
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::model::{Callable, Flatten, Parameter};
use crate::own_attribute::{SETTINGS, is_ours, take_attribute};
use crate::types::{may_be_object, optional_reference, plain};
use crate::{docs, question};

/// Reads `signature`, and removes our attributes and doc comments from it, because rustc rejects
/// them there.
///
/// Returns `None` if a mistake makes the function unusable.
pub(crate) fn read(
    signature: &mut Signature,
    attributes: &[Attribute],
    expected: &Expected<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Callable> {
    let before = diagnostics.count();
    check_form(signature, diagnostics);
    let mut has_self = false;
    let mut parameters = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                has_self = true;
                check_receiver(receiver, diagnostics);
            }
            FnArg::Typed(typed) => parameters.extend(parameter(typed, expected, diagnostics)),
        }
    }
    check_contexts(&parameters, diagnostics);
    let output_span = match &signature.output {
        ReturnType::Default => signature.ident.span(),
        ReturnType::Type(_, kind) => kind.span(),
    };
    let output = output(signature, diagnostics);
    (diagnostics.count() == before).then(|| Callable {
        path: path(&signature.ident, expected.of_type),
        ident: signature.ident.clone(),
        conditions: conditions(attributes),
        has_self,
        is_async: signature.asyncness.is_some(),
        parameters,
        output,
        output_span,
    })
}

/// The return type, which must not borrow.
pub(crate) fn output(signature: &Signature, diagnostics: &mut Diagnostics) -> Type {
    match &signature.output {
        ReturnType::Default => parse_quote_spanned!(signature.ident.span()=> ()),
        ReturnType::Type(_, kind) => {
            check_type(kind, "a return type", diagnostics);
            check_owned(
                kind,
                "a result cannot borrow: it is sent when the call is over",
                "return a value of its own, such as a `String`, or one that is `'static`",
                diagnostics,
            );
            plain(kind).clone()
        }
    }
}

pub(crate) fn path(ident: &Ident, of_type: bool) -> Path {
    if of_type {
        parse_quote!(Self::#ident)
    } else {
        parse_quote!(#ident)
    }
}

/// The `#[cfg]` attributes among `attributes`.
pub(crate) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Refuses functions that are unsafe, generic or variadic.
pub(crate) fn check_form(signature: &Signature, diagnostics: &mut Diagnostics) {
    if let Safety::Unsafe(keyword) = &signature.safety {
        diagnostics.mistake(
            keyword,
            "a function that clients call cannot be `unsafe`",
            "make it safe, and move the unsafe code into its body",
        );
    }
    let generic = signature
        .generics
        .params
        .iter()
        .find(|parameter| !matches!(parameter, syn::GenericParam::Lifetime(_)));
    if let Some(generic) = generic {
        diagnostics.mistake(
            generic,
            "a function that clients call cannot be generic: its types decide its schema",
            "name the type here, or put the parameter on the server: `impl<T> Server<T>`",
        );
    }
    if let Some(variadic) = &signature.variadic {
        diagnostics.mistake(variadic, "arguments have names and types", "take a `Vec`");
    }
}

/// Refuses all receivers except `&self`.
pub(crate) fn check_receiver(receiver: &Receiver, diagnostics: &mut Diagnostics) {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => diagnostics.mistake(
            receiver,
            "`&mut self` is not possible: calls run at the same time",
            "take `&self`, and keep what changes in a `Mutex` or an atomic",
        ),
        ReceiverKind::Value => diagnostics.mistake(
            receiver,
            "`self` by value would consume the server with the first call",
            "take `&self`",
        ),
        _ => diagnostics.mistake(
            receiver,
            "the server is shared by all calls and passed as `&self`",
            "take `&self`",
        ),
    }
}

fn parameter(
    typed: &mut PatType,
    expected: &Expected<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Parameter> {
    let before = diagnostics.count();
    refuse_foreign(typed, diagnostics);
    let settings = take_attribute(&mut typed.attrs, "arg");
    if let Some(attribute) = take_attribute(&mut typed.attrs, "elicit") {
        return question(typed, &attribute, settings.as_ref(), expected, diagnostics);
    }
    let doc = docs::text(&typed.attrs);
    typed.attrs.retain(|attribute| !docs::is_doc(attribute));
    check_type(&typed.ty, "an argument", diagnostics);
    let parameter = if let Type::Reference(reference) = plain(&typed.ty) {
        check_reference(reference, false, settings.as_ref(), diagnostics);
        Some(Parameter::Context(reference.elem.clone()))
    } else if let Some(reference) = optional_reference(&typed.ty) {
        check_reference(reference, true, settings.as_ref(), diagnostics);
        Some(Parameter::OptionalContext(reference.elem.clone()))
    } else if is_str(plain(&typed.ty)) {
        let what = "a `str` has no size of its own";
        diagnostics.mistake(&typed.ty, what, "take a `String`");
        // With `str` in place, the compiler would propose `&str`.
        *typed.ty = parse_quote!(::std::string::String);
        None
    } else {
        check_owned_argument(&typed.ty, diagnostics);
        let mut entries = Entries::of(settings.as_ref(), expected.grammar, diagnostics);
        if entries.flag("flatten", diagnostics) == Some(true) {
            flatten(typed, settings, &entries, diagnostics)
        } else {
            let ident = name_of(&typed.pat, diagnostics);
            ident.map(|ident| {
                let kind = &typed.ty;
                let argument = argument::read(ident, kind, doc, entries, expected, diagnostics);
                Parameter::Argument(Box::new(argument))
            })
        }
    };
    parameter.filter(|_| diagnostics.count() == before)
}

/// Refuses attributes of other libraries, which belong on fields of structs.
fn refuse_foreign(typed: &mut PatType, diagnostics: &mut Diagnostics) {
    for name in ["serde", "schemars", "tool"] {
        if let Some(attribute) = take_attribute(&mut typed.attrs, name) {
            let what = format!("`#[{name}]` does not belong on a parameter");
            diagnostics.mistake(attribute, what, "write `#[arg(…)]`");
        }
    }
}

fn question(
    typed: &mut PatType,
    attribute: &Attribute,
    settings: Option<&Attribute>,
    expected: &Expected<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Parameter> {
    let before = diagnostics.count();
    check_type(&typed.ty, "an answer", diagnostics);
    if let Some(settings) = settings {
        diagnostics.mistake(
            settings,
            "`#[arg]` describes what the caller sends, and this parameter is answered by the user",
            "remove one of the two",
        );
    } else {
        let what = "an answer cannot borrow: it is read from a message of the client";
        check_owned(&typed.ty, what, "take it by value", diagnostics);
    }
    let ident = name_of(&typed.pat, diagnostics)?;
    let helpers = expected.helpers;
    let read = question::read(ident, typed, attribute, helpers, diagnostics)?;
    typed.attrs.retain(|attribute| !docs::is_doc(attribute));
    (diagnostics.count() == before).then(|| Parameter::Question(Box::new(read)))
}

/// Reads a parameter that is decoded from all arguments together. Other settings are a mistake.
fn flatten(
    typed: &PatType,
    settings: Option<Attribute>,
    rest: &Entries,
    diagnostics: &mut Diagnostics,
) -> Option<Parameter> {
    let attribute = settings?;
    if rest.len() > 0 {
        diagnostics.mistake(
            &attribute,
            "`flatten` allows no other settings",
            "use attributes of serde and schemars on the struct's fields",
        );
    }
    if !may_be_object(&typed.ty) {
        let what = "`flatten` takes a struct, whose fields are the arguments";
        diagnostics.mistake(&typed.ty, what, "remove `flatten`, or take a struct");
    }
    Some(Parameter::Flatten(Box::new(Flatten {
        kind: typed.ty.clone(),
        attribute,
    })))
}

pub(crate) fn name_of(pattern: &Pat, diagnostics: &mut Diagnostics) -> Option<Ident> {
    match pattern {
        Pat::Ident(named) if named.subpat.is_none() => Some(format_ident!("{}", named.ident)),
        other => {
            let mend = match other {
                // This is how rmcp takes arguments: `Parameters(sum): Parameters<Sum>`.
                Pat::TupleStruct(_) => "take the struct itself: `#[arg(flatten)] name: Struct`",
                _ => "give it a name, and take it apart in the function's body",
            };
            let what = "an argument needs a name that callers can use";
            diagnostics.mistake(other, what, mend);
            None
        }
    }
}

fn check_reference(
    reference: &TypeReference,
    is_optional: bool,
    settings: Option<&Attribute>,
    diagnostics: &mut Diagnostics,
) {
    let elem = plain(&reference.elem);
    if let Some(keyword) = &reference.mutability {
        diagnostics.mistake(
            keyword,
            "a value from the context is shared and cannot be changed",
            "take it by `&`",
        );
    } else if matches!(elem, Type::Slice(_)) || is_str(elem) {
        let owned = match elem {
            Type::Slice(slice) => format!("Vec<{}>", slice.elem.to_token_stream()),
            _ => "String".to_owned(),
        };
        let owned = if is_optional {
            format!("Option<{owned}>")
        } else {
            owned
        };
        diagnostics.mistake(
            reference,
            "a parameter by reference comes from the call's context, not from the caller",
            format!("take the argument by value: `{owned}`"),
        );
    } else if let Some(settings) = settings {
        diagnostics.mistake(
            settings,
            "`#[arg]` describes what the caller sends, and this parameter comes from the context",
            "remove it, or take the parameter by value",
        );
    }
}

fn is_str(kind: &Type) -> bool {
    matches!(kind, Type::Path(path) if path.path.is_ident("str"))
}

fn check_contexts(parameters: &[Parameter], diagnostics: &mut Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for parameter in parameters {
        let (Parameter::Context(kind) | Parameter::OptionalContext(kind)) = parameter else {
            continue;
        };
        let text = kind.to_token_stream().to_string();
        if seen.contains(&text) {
            let what = format!("`&{text}` is taken twice");
            diagnostics.mistake(kind, what, "one of them is enough");
        }
        seen.push(text);
    }
}

/// Refuses `impl Trait`, because neither a schema nor a decoder can be generated for it.
fn check_type(kind: &Type, what: &str, diagnostics: &mut Diagnostics) {
    struct Opaque<'a>(Option<&'a TypeImplTrait>);
    impl<'a> Visit<'a> for Opaque<'a> {
        fn visit_type_impl_trait(&mut self, node: &'a TypeImplTrait) {
            self.0 = self.0.or(Some(node));
            visit::visit_type_impl_trait(self, node);
        }
    }
    let mut opaque = Opaque(None);
    opaque.visit_type(kind);
    if let Some(found) = opaque.0 {
        diagnostics.mistake(
            found,
            format!("{what} cannot be `impl Trait`: its type decides the schema"),
            "name the type, and write `async fn` for a future",
        );
    }
}

/// Removes `#[arg]` and `#[elicit]` from the parameters of a function that clients cannot call, and
/// reports the first as a mistake.
pub(crate) fn refuse_settings(signature: &mut Signature, diagnostics: &mut Diagnostics) {
    let typed = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let settings =
        typed.flat_map(|typed| SETTINGS.map(|name| take_attribute(&mut typed.attrs, name)));
    let settings = settings.flatten();
    if let Some(settings) = settings.reduce(|first, _| first) {
        let name = &signature.ident;
        let mend = if is_ours(&settings, "elicit") {
            "a completer or lister cannot ask: move it to the function that clients call"
        } else {
            "write `#[tool]`, `#[prompt]` or `#[resource(\"…\")]` above the function"
        };
        diagnostics.mistake(settings, format!("clients cannot call `{name}`"), mend);
    }
}

/// Refuses arguments that borrow, because they would outlive the message they are decoded from.
fn check_owned_argument(kind: &Type, diagnostics: &mut Diagnostics) {
    let what = "an argument cannot borrow from the message that contains it";
    let mend = "take an owned value: `String` for `&str`, `Vec` for a slice";
    check_owned(kind, what, mend, diagnostics);
}

/// Refuses types that contain a reference or a lifetime other than `'static`. References with a
/// named lifetime are found by their lifetime.
fn check_owned(kind: &Type, what: &str, mend: &str, diagnostics: &mut Diagnostics) {
    struct Borrowed(Option<TokenStream>);
    impl<'a> Visit<'a> for Borrowed {
        fn visit_type_reference(&mut self, node: &'a syn::TypeReference) {
            if node.lifetime.is_none() {
                self.0.get_or_insert_with(|| node.to_token_stream());
            }
            visit::visit_type_reference(self, node);
        }

        fn visit_lifetime(&mut self, node: &'a syn::Lifetime) {
            if node.ident != "static" {
                self.0.get_or_insert_with(|| node.to_token_stream());
            }
        }

        // A function pointer or trait object may borrow in its own signature.
        fn visit_type_fn_ptr(&mut self, _: &'a syn::TypeFnPtr) {}

        fn visit_type_trait_object(&mut self, _: &'a syn::TypeTraitObject) {}
    }
    let mut borrowed = Borrowed(None);
    borrowed.visit_type(kind);
    if let Some(found) = borrowed.0 {
        diagnostics.mistake(found, what, mend);
    }
}
