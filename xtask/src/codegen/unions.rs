//! Unions, decoded by what tells their members apart and never by trying.

use super::decoders;
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
        let debug = decoders::debug(name);
        let unknown =
            lines("Something that this version of the crate does not know, kept as it came.");
        quote! {
            #doc
            #[derive(Clone, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#variants,)*
                #unknown
                Unknown(RawJson),
            }

            #debug

            impl Vacant for #name {
                fn vacant() -> Self {
                    Self::Unknown(Vacant::vacant())
                }
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

    /// Writes what is inside: each struct writes its own constant.
    pub(crate) fn encode_content(&self) -> TokenStream {
        let name = &self.ident;
        let variants = &self.variants;
        let body = quote! {
            match self {
                #(Self::#variants(value) => value.encode(to),)*
                Self::Unknown(value) => value.encode(to),
            }
        };
        decoders::encode(name, &body)
    }

    /// `match index`, each arm reading one member.
    fn decode_arms(&self) -> TokenStream {
        let variants = &self.variants;
        let index = 0..variants.len();
        let last = variants.len().saturating_sub(1);
        let arms = index.zip(variants).map(|(index, variant)| {
            let pattern = if index == last {
                quote!(_)
            } else {
                quote!(#index)
            };
            quote!(#pattern => object::read(members).map(Self::#variant))
        });
        quote!(match index { #(#arms,)* })
    }

    fn by_field(&self, field: &str, values: &[String], default: Option<usize>) -> TokenStream {
        let name = &self.ident;
        let arms = self.decode_arms();
        let default = match default {
            Some(default) => quote! { const DEFAULT: Option<usize> = Some(#default); },
            None => TokenStream::new(),
        };
        let encode = self.encode_content();
        let deserialize = decoders::by(name, &quote!(union::by_field));
        let expected = format!("an object with `{field}`");
        quote! {
            impl ByField for #name {
                const FIELD: &'static str = #field;
                const EXPECTED: &'static str = #expected;
                #default

                const VALUES: &'static [&'static str] = &[#(#values),*];

                fn read(index: usize, members: &mut Members<'_, '_>) -> serde_json::Result<Self> {
                    #arms
                }

                fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
            }

            #encode
            #deserialize
        }
    }

    fn by_key(&self, keys: &[String]) -> TokenStream {
        let name = &self.ident;
        let arms = self.decode_arms();
        let encode = self.encode_content();
        let deserialize = decoders::by(name, &quote!(union::by_key));
        quote! {
            impl ByKey for #name {
                const KEYS: &'static [&'static str] = &[#(#keys),*];

                fn read(index: usize, members: &mut Members<'_, '_>) -> serde_json::Result<Self> {
                    #arms
                }

                fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
            }

            #encode
            #deserialize
        }
    }

    fn by_kind(&self) -> TokenStream {
        let name = &self.ident;
        let encode = self.encode_content();
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
                quote!(Some(#first) => json::decode(json.get()).ok().map(Self::#variant))
            });
        let deserialize = decoders::deserialize(name);
        quote! {
            #encode

            impl<'de> Decode<'de> for #name {
                fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
                    let json = RawJson::decode(reader)?;
                    let known = match json.get().as_bytes().first() {
                        #(#arms,)*
                        _ => None,
                    };
                    Ok(known.unwrap_or(Self::Unknown(json)))
                }
            }

            #deserialize
        }
    }
}
