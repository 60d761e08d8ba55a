//! Generates setters, and the parameters of constructors, from the types of fields.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

/// Returns the setter `with_…` of an optional field, whose type `ty` is an `Option`.
///
/// `is_plain` decides whether a named type is passed as it is, or else as `impl Into`.
#[must_use]
pub fn setter(
    ty: &str,
    name: &Ident,
    doc: &TokenStream,
    is_plain: &dyn Fn(&str) -> bool,
) -> TokenStream {
    let (_, inner) = split(ty);
    let (argument, stored) = argument(inner, name, is_plain);
    let stored = stored.unwrap_or_else(|| name.to_token_stream());
    let setter = format_ident!("with_{}", name.unraw());
    quote! {
        #doc
        #[must_use]
        pub fn #setter(mut self, #name: #argument) -> Self {
            self.#name = Some(#stored);
            self
        }
    }
}

/// Splits `Vec < String >` into `Vec` and `String`.
#[must_use]
pub fn split(ty: &str) -> (&str, &str) {
    let inside = ty.strip_suffix(" >").and_then(|ty| ty.split_once(" < "));
    inside.unwrap_or((ty, ""))
}

/// Returns the type of the parameter for a field of the type `ty`, and the expression that converts
/// it, if any.
///
/// `is_plain` is the same as for [`setter`].
#[must_use]
pub fn argument(
    ty: &str,
    name: &Ident,
    is_plain: &dyn Fn(&str) -> bool,
) -> (TokenStream, Option<TokenStream>) {
    let tokens = |ty: &str| ty.parse::<TokenStream>().unwrap_or_default();
    let whole = tokens(ty);
    let (outer, inner) = split(ty);
    let item = tokens(inner);
    match outer {
        "bool" | "f64" | "i64" | "u64" | "JsonObject" | "Option" => (whole, None),
        "Box" => (item, Some(quote!(Box::new(#name)))),
        "Vec" if inner == "String" => (
            quote!(impl IntoIterator<Item = impl Into<String>>),
            Some(quote!(#name.into_iter().map(Into::into).collect())),
        ),
        "Vec" => (
            quote!(impl IntoIterator<Item = #item>),
            Some(quote!(#name.into_iter().collect())),
        ),
        // Without parameters, the name is a type from the schema.
        "OrderedMap" | "Map" if !inner.is_empty() => (
            quote!(impl IntoIterator<Item = (impl Into<String>, #item)>),
            Some(quote!(#name.into_iter().map(|(key, value)| (key.into(), value)).collect())),
        ),
        named if is_plain(named) => (whole, None),
        _ => (quote!(impl Into<#whole>), Some(quote!(#name.into()))),
    }
}
