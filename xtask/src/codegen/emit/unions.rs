//! Unions, decoded by what tells their members apart and never by trying.

use super::best_match;
use super::docs::Docs;
use super::emitted_union::EmittedUnion;
use super::messages;
use crate::codegen::by_revision::conform;
use crate::codegen::merged::merge::{Merged, Shape};
use crate::codegen::merged::variants::{self, Tag};
use proc_macro2::TokenStream;
use quote::quote;

/// All unions, in alphabetical order.
pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, ty) in &merged.types {
        if let Shape::Union(members) = &ty.shape {
            let union = EmittedUnion::new(merged, name, members);
            let doc = docs.of(name, &ty.known);
            out.extend(union.item(&doc, docs));
            out.extend(union.conversions());
            out.extend(match variants::tag(merged, members) {
                Tag::Method => messages::emit(&union),
                Tag::Kind => union.by_kind(),
                Tag::Field {
                    field,
                    values,
                    default,
                } => union.by_field(&field, &values, default),
                Tag::Key(keys) => union.by_key(&keys),
                Tag::BestMatch => best_match::emit(&union),
            });
        }
    }
    out
}

impl EmittedUnion<'_> {
    fn by_field(&self, field: &str, values: &[String], default: Option<usize>) -> TokenStream {
        let name = &self.ident;
        let default = default.map(|index| {
            quote! { const DEFAULT: Option<usize> = Some(#index); }
        });
        let members = self.object_members(&quote!(union::by_field));
        quote! {
            impl ByField for #name {
                const FIELD: &'static str = #field;
                const VALUES: &'static [&'static str] = &[#(#values),*];
                #default
            }

            #members
        }
    }

    fn by_key(&self, keys: &[String]) -> TokenStream {
        let name = &self.ident;
        let members = self.object_members(&quote!(union::by_key));
        quote! {
            impl ByKey for #name {
                const KEYS: &'static [&'static str] = &[#(#keys),*];
            }

            #members
        }
    }

    /// Impls that unions of objects share, decoded by the function `read`.
    fn object_members(&self, read: &TokenStream) -> TokenStream {
        let (name, variants) = (&self.ident, &self.variants);
        let last = variants.len().saturating_sub(1);
        let arms = variants.iter().enumerate().map(|(index, variant)| {
            let pattern = match index == last {
                true => quote!(_),
                false => quote!(#index),
            };
            quote!(#pattern => Deserialize::deserialize(object).map(Self::#variant))
        });
        let read_one = match &variants[..] {
            [only] => quote!(Deserialize::deserialize(object).map(Self::#only)),
            _ => quote!(match index { #(#arms,)* }),
        };
        let index = conform::parameter_in(&read_one, "index");
        let (serialize, deserialize) = (self.serialize(), self.deserialize(read));
        quote! {
            impl Union for #name {
                fn read<'de, D: Deserializer<'de>>(
                    #index: usize,
                    object: D,
                ) -> Result<Self, D::Error> {
                    #read_one
                }

                fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
            }

            #serialize
            #deserialize
        }
    }

    fn by_kind(&self) -> TokenStream {
        let name = &self.ident;
        let serialize = self.serialize();
        let members = self.members.iter().zip(&self.variants);
        let arms = members.filter_map(|(member, variant)| {
            let (_, first) = variants::kind(self.merged, &member.member.ty)?;
            Some(quote!(Some(#first) => json.parse().ok().map(Self::#variant)))
        });
        quote! {
            #serialize

            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let json = RawJson::deserialize(deserializer)?;
                    let known = match json.get().as_bytes().first() {
                        #(#arms,)*
                        _ => None,
                    };
                    Ok(known.unwrap_or(Self::Unknown(json)))
                }
            }
        }
    }
}
