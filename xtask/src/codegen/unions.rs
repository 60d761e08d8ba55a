//! Unions, decoded by what tells their members apart and never by trying.

use super::docs::{Docs, lines};
use super::ir::{Member, Type};
use super::merge::{Merged, MergedMember, Shape};
use super::rust::{self, ident};
use super::variants::{self, Tag};
use proc_macro2::{Ident, TokenStream};
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
                Tag::Method => super::messages::emit(&union),
                Tag::Kind => union.by_kind(),
                Tag::Field {
                    field,
                    values,
                    default,
                } => union.by_field(&field, &values, default),
                Tag::Key(keys) => union.by_key(&keys),
                Tag::BestMatch => super::best_match::emit(&union),
            });
        }
    }
    out
}

/// A union with what its code needs.
pub(crate) struct EmittedUnion<'a> {
    pub(crate) merged: &'a Merged,
    pub(crate) name: &'a str,
    pub(crate) ident: Ident,
    pub(crate) members: &'a [MergedMember],
    pub(crate) variants: Vec<Ident>,
}

impl<'a> EmittedUnion<'a> {
    fn new(merged: &'a Merged, name: &'a str, members: &'a [MergedMember]) -> Self {
        let variants = variants::of_union(merged, name, members);
        Self {
            merged,
            name,
            ident: ident(name),
            members,
            variants: variants.iter().map(|variant| ident(variant)).collect(),
        }
    }

    /// What a variant holds.
    pub(crate) fn content(&self, member: &Member) -> TokenStream {
        let mut ty = rust::stored(&member.ty);
        if rust::is_boxed(&member.ty, self.merged) {
            ty = quote!(Box<#ty>);
        }
        match self.is_optional(member) {
            true => quote!(Option<#ty>),
            false => ty,
        }
    }

    /// Whether a message may lack its parameters.
    pub(crate) fn is_optional(&self, member: &Member) -> bool {
        let method = member
            .method
            .as_ref()
            .and_then(|method| self.merged.methods.get(method));
        method.is_some_and(|method| method.params_required != method.known)
    }

    fn item(&self, doc: &TokenStream, docs: &Docs<'_>) -> TokenStream {
        let name = &self.ident;
        let variants = self
            .members
            .iter()
            .zip(&self.variants)
            .map(|(member, variant)| {
                let doc = docs.of(&format!("{}::{variant}", self.name), &member.known);
                let content = self.content(&member.member);
                quote!(#doc #variant(#content))
            });
        let unknown =
            lines("Something that this version of the crate does not know, kept as it came.");
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
    fn conversions(&self) -> TokenStream {
        let mut out = TokenStream::new();
        let name = &self.ident;
        for (member, variant) in self.members.iter().zip(&self.variants) {
            let ty = &member.member.ty;
            let same = self.members.iter().filter(|other| other.member.ty == *ty);
            if same.count() > 1 || member.member.method.is_some() {
                continue;
            }
            let stored = rust::stored(ty);
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
        let name = &self.ident;
        let members = self.members.iter().zip(&self.variants);
        let arms = members.map(|(member, variant)| match member.member.ty {
            Type::Number => quote!(Self::#variant(value) => number::whole(value, serializer)),
            _ => quote!(Self::#variant(value) => value.serialize(serializer)),
        });
        quote! {
            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(#arms,)*
                        Self::Unknown(value) => value.serialize(serializer),
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

    /// What unions of objects have in common, decoded by the function `read`.
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
        let (serialize, deserialize) = (self.serialize(), self.deserialize(read));
        quote! {
            impl Union for #name {
                fn read<'de, D: Deserializer<'de>>(
                    index: usize,
                    object: D,
                ) -> Result<Self, D::Error> {
                    match index { #(#arms,)* }
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
        let arms = self
            .members
            .iter()
            .zip(&self.variants)
            .map(|(member, variant)| {
                let first = match member.member.ty {
                    Type::Text => quote!(b'"'),
                    Type::Bool => quote!(b't' | b'f'),
                    Type::List(_) => quote!(b'['),
                    _ => quote!(b'-' | b'0'..=b'9'),
                };
                quote!(Some(#first) => json.parse().ok().map(Self::#variant))
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
