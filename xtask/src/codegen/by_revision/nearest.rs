//! `Nearest`: the value of a union that can stand for all others.

use super::conform::{Conform, parameter_in};
use crate::codegen::emit::rust::ident;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{MergedMember, MergedType};
use crate::codegen::merged::variants;
use crate::codegen::overlay::kinds::Nearest;
use proc_macro2::TokenStream;
use quote::quote;

/// `Nearest` of a union: the description of its values, and the value made of a text.
pub(crate) fn of_union(
    conform: &Conform<'_>,
    name: &str,
    ty: &MergedType,
    members: &[MergedMember],
    nearest: &Nearest,
) -> Result<TokenStream> {
    let describe = describe(conform, name, nearest);
    let text = nearest.json.as_deref().unwrap_or("null");
    let fault = || {
        let what = "`json` of `nearest` is none of the values that all revisions have";
        Error::conflict(name, what)
    };
    let json = serde_json::from_str(text).map_err(|_| fault())?;
    if text.matches("\"{}\"").count() > 1 {
        return Err(Error::conflict(
            name,
            "`json` of `nearest` has more than one `{}`",
        ));
    }
    let string = |string: &str| match string {
        "{}" => quote!(text),
        string => quote!(#string),
    };
    let value = members
        .iter()
        .filter(|member| member.known == ty.known)
        .find_map(|member| conform.value(&member.member.ty, &json, &string))
        .ok_or_else(fault)?;
    let text = parameter_in(&value, "text");
    let name = ident(name);
    Ok(quote! {
        impl Nearest for #name {
            fn describe(&self) -> String {
                #describe
            }

            fn from_text(#text: String) -> Self {
                #value.into()
            }
        }
    })
}

/// The description of each variant.
fn describe(conform: &Conform<'_>, name: &str, nearest: &Nearest) -> TokenStream {
    let variants = variants::of(conform.merged, name);
    let arms = variants.iter().filter_map(|(_, variant, _)| {
        let template = nearest.describe.get(variant)?;
        let variant = ident(variant);
        Some(quote!(Self::#variant(value) => fit::describe(value, #template)))
    });
    let arms: Vec<_> = arms.collect();
    let plain = quote!(fit::describe(self, ""));
    match arms.is_empty() {
        true => plain,
        false => quote!(match self { #(#arms,)* _ => #plain }),
    }
}
