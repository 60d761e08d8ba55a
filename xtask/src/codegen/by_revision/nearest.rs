//! Emits `Nearest`, which replaces values of a union by text.

use super::conform::Conform;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{MergedMember, MergedType};
use crate::codegen::merged::variants;
use crate::codegen::overlay::kinds::Nearest;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;

impl Conform<'_> {
    /// Emits `Nearest` for a union: the description of values, and a value that contains text.
    pub(crate) fn nearest(
        &self,
        name: &str,
        ty: &MergedType,
        members: &[MergedMember],
        nearest: &Nearest,
    ) -> Result<TokenStream> {
        let fault = |what: &str| Error::conflict(name, format!("`json` of `nearest` {what}"));
        let no_value = || fault("is none of the values that all revisions have");
        let text = nearest.json.as_deref().unwrap_or("null");
        let json = serde_json::from_str(text).map_err(|_| no_value())?;
        if text.matches("\"{}\"").count() > 1 {
            return Err(fault("has more than one `{}`"));
        }
        let string = |string: &str| match string {
            "{}" => quote!(text),
            string => quote!(#string),
        };
        let everywhere = members.iter().filter(|member| member.known == ty.known);
        let mut values =
            everywhere.filter_map(|member| self.value(&member.member.ty, &json, &string));
        let value = values.next().ok_or_else(no_value)?;
        let variants = variants::of(self.merged, name);
        let arms = variants.iter().filter_map(|(_, variant, _)| {
            let template = nearest.describe.get(variant)?;
            let variant = ident(variant);
            Some(quote!(Self::#variant(value) => fit::describe(value, #template),))
        });
        let name = ident(name);
        Ok(quote! {
            impl Nearest for #name {
                fn describe(&self) -> String {
                    match self { #(#arms)* _ => fit::describe(self, "") }
                }

                fn from_text(text: String) -> Self {
                    #value.into()
                }
            }
        })
    }
}
