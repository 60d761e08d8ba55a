//! One union: its enum, its conversions, and how it is encoded.

use super::docs::{Docs, lines};
use super::rust::{self, ident};
use crate::codegen::merged::merge::{Merged, MergedMember};
use crate::codegen::merged::variants;
use crate::codegen::model::ir::{Member, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// A union with what its code needs.
pub(crate) struct EmittedUnion<'a> {
    pub(crate) merged: &'a Merged,
    pub(crate) name: &'a str,
    pub(crate) ident: Ident,
    pub(crate) members: &'a [MergedMember],
    pub(crate) variants: Vec<Ident>,
}

impl<'a> EmittedUnion<'a> {
    pub(crate) fn new(merged: &'a Merged, name: &'a str, members: &'a [MergedMember]) -> Self {
        let variants = variants::of(merged, name).into_iter();
        Self {
            merged,
            name,
            ident: ident(name),
            members,
            variants: variants.map(|(_, variant, _)| ident(&variant)).collect(),
        }
    }

    /// The type that a variant holds.
    pub(crate) fn content(&self, member: &Member) -> TokenStream {
        let mut ty = rust::stored(&member.ty);
        if rust::is_boxed(&member.ty, self.merged) {
            ty = quote!(Box<#ty>);
        }
        match self.merged.optional_params(member) {
            Some(_) => quote!(Option<#ty>),
            None => ty,
        }
    }

    pub(crate) fn item(&self, doc: &TokenStream, docs: &Docs<'_>) -> TokenStream {
        let name = &self.ident;
        let variants = self.members.iter().zip(&self.variants);
        let variants = variants.map(|(member, variant)| {
            let doc = docs.of(&format!("{}::{variant}", self.name), &member.known);
            let content = self.content(&member.member);
            quote!(#doc #variant(#content))
        });
        let unknown = lines("A value that the schema does not list, kept as it came.");
        quote! {
            #doc
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#variants,)*
                #unknown
                Unknown(RawJson),
            }
        }
    }

    /// `From` each type that only one variant holds.
    pub(crate) fn conversions(&self) -> TokenStream {
        let mut out = TokenStream::new();
        let name = &self.ident;
        for (member, variant) in self.members.iter().zip(&self.variants) {
            let ty = &member.member.ty;
            let stored = rust::stored(ty);
            let stored_by = |other: &&MergedMember| {
                rust::stored(&other.member.ty).to_string() == stored.to_string()
            };
            let same = self.members.iter().filter(stored_by);
            if same.count() > 1 || member.member.method.is_some() {
                continue;
            }
            let value = match rust::is_boxed(ty, self.merged) {
                true => quote!(Box::new(value)),
                false => quote!(value),
            };
            out.extend(quote! {
                impl From<#stored> for #name {
                    fn from(value: #stored) -> Self { Self::#variant(#value) }
                }
            });
        }
        out
    }

    /// `Serialize` by the member's own: each struct writes its own constant.
    pub(crate) fn serialize(&self) -> TokenStream {
        let members = self.members.iter().zip(&self.variants);
        let arms = members.map(|(member, variant)| match member.member.ty == Type::Number {
            true => quote!(Self::#variant(value) => number::whole(value, serializer)),
            false => quote!(Self::#variant(value) => value.serialize(serializer)),
        });
        self.serialize_by(&arms.collect::<Vec<_>>())
    }

    /// `Serialize` by an arm for each variant.
    pub(crate) fn serialize_by(&self, arms: &[TokenStream]) -> TokenStream {
        let name = &self.ident;
        quote! {
            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(#arms,)*
                        Self::Unknown(json) => json.serialize(serializer),
                    }
                }
            }
        }
    }

    /// `Deserialize` by the function `read`.
    pub(crate) fn deserialize(&self, read: &TokenStream) -> TokenStream {
        let name = &self.ident;
        quote! {
            impl<'de> Deserialize<'de> for #name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    #read(deserializer)
                }
            }
        }
    }
}
