//! Emits unions as enums, with conversions and `Serialize`.

use super::docs::Docs;
use super::rust;
use crate::codegen::merged::merge::{Merged, MergedMember, Shape};
use crate::codegen::merged::variants;
use crate::codegen::model::ir::{Member, Type};
use mcp_bindgen::code::docs::lines;
use mcp_bindgen::code::names::ident;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (name, ty) in &merged.types {
        if let Shape::Union(members) = &ty.shape {
            let variants = variants::of(merged, name).into_iter();
            let union = Union {
                merged,
                name: ident(name),
                members,
                variants: variants.map(|(_, variant, _)| ident(&variant)).collect(),
            };
            let doc = docs.of(name, &ty.known);
            let item = union.item(&doc, docs);
            let conversions = union.conversions();
            let decoding = union.decoding();
            let serialize = union.serialize();
            out.extend(quote!(#item #conversions #decoding #serialize));
        }
    }
    out
}

/// Emits the code of one union.
pub(super) struct Union<'a> {
    pub(super) merged: &'a Merged,
    pub(super) name: Ident,
    pub(super) members: &'a [MergedMember],
    pub(super) variants: Vec<Ident>,
}

impl<'a> Union<'a> {
    pub(super) fn members(&self) -> impl Iterator<Item = (&'a Member, &Ident)> {
        let members = self.members.iter().map(|member| &member.member);
        members.zip(&self.variants)
    }

    /// Emits the type of a variant's value.
    fn content(&self, member: &Member) -> TokenStream {
        let mut ty = rust::stored(&member.ty);
        if rust::is_boxed(&member.ty, self.merged) {
            ty = quote!(Box<#ty>);
        }
        match self.merged.optional_params(member) {
            Some(_) => quote!(Option<#ty>),
            None => ty,
        }
    }

    fn item(&self, doc: &TokenStream, docs: &Docs<'_>) -> TokenStream {
        let name = &self.name;
        let variants = self.members.iter().zip(&self.variants);
        let variants = variants.map(|(member, variant)| {
            let doc = docs.of(&format!("{name}::{variant}"), &member.known);
            let content = self.content(&member.member);
            quote!(#doc #variant(#content))
        });
        let unknown = lines("A value that the schema does not list, kept as received.");
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

    /// Emits `From` for each type that is the value of only one variant.
    fn conversions(&self) -> TokenStream {
        let name = &self.name;
        let stored = |member: &Member| rust::stored(&member.ty).to_string();
        let is_only = |member: &Member| {
            let same = self.members.iter();
            let same = same.filter(|other| stored(&other.member) == stored(member));
            same.count() == 1 && member.method.is_none()
        };
        let members = self.members().filter(|(member, _)| is_only(member));
        let conversions = members.map(|(member, variant)| {
            let stored = rust::stored(&member.ty);
            let value = if rust::is_boxed(&member.ty, self.merged) {
                quote!(Box::new(value))
            } else {
                quote!(value)
            };
            quote! {
                impl From<#stored> for #name {
                    fn from(value: #stored) -> Self { Self::#variant(#value) }
                }
            }
        });
        conversions.collect()
    }

    /// Emits `Serialize`, which delegates to the member: each struct writes its own constant.
    fn serialize(&self) -> TokenStream {
        let name = &self.name;
        let arms = self.members().map(|(member, variant)| {
            let is_optional = self.merged.optional_params(member).is_some();
            let write = match (&member.method, &member.ty) {
                (Some(method), _) if is_optional => {
                    quote!(message::serialize(serializer, #method, value.as_ref()))
                }
                (Some(method), _) => quote!(message::serialize(serializer, #method, Some(value))),
                (None, Type::Number) => quote!(number::whole(value, serializer)),
                (None, _) => quote!(value.serialize(serializer)),
            };
            quote!(Self::#variant(value) => #write)
        });
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
}
