//! `Conform`: each value made into what one revision allows.
//!
//! Fields that a revision does not know go, fields that it requires come, and
//! values that it cannot express become the nearest one that it can.

use super::conform::{Conform, revision_in};
use super::error::Result;
use super::fields::Fields;
use super::merge::{Merged, MergedEnum, MergedMember, MergedType, Set, Shape};
use super::nearest;
use super::overlay::Overlay;
use super::rust::ident;
use super::span::{bits, condition};
use super::variants::{self, Tag};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// `Conform` of all types.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let mut active = BTreeSet::new();
    // A type matters if something in it can change, however deep.
    loop {
        let conform = Conform {
            merged,
            overlay,
            active: &active,
        };
        let mut next = BTreeSet::new();
        for (name, ty) in &merged.types {
            if !conform.body(name, ty)?.is_empty() {
                next.insert(name.clone());
            }
        }
        if next == active {
            break;
        }
        active = next;
    }
    let conform = Conform {
        merged,
        overlay,
        active: &active,
    };
    let types = merged
        .types
        .iter()
        .map(|(name, ty)| conform.implementation(name, ty));
    types.collect()
}

impl Conform<'_> {
    fn implementation(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        let body = self.body(name, ty)?;
        let nearest = self.overlay.replacement(name);
        let support = match &ty.shape {
            Shape::Struct(_) => TokenStream::new(),
            Shape::Enum(values) => self.enum_exists(name, ty, values),
            Shape::Union(members) => {
                let exists = self.union_exists(name, ty, members);
                let nearest = nearest
                    .map(|nearest| nearest::of_union(self, name, ty, members, nearest))
                    .transpose()?;
                quote!(#exists #nearest)
            }
        };
        if matches!(ty.shape, Shape::Enum(_)) && nearest.is_none() {
            return Ok(support);
        }
        let name = ident(name);
        let revision = revision_in(&body);
        Ok(quote! {
            #support

            impl Conform for #name {
                fn conform(&mut self, #revision: Revision) { #body }
            }
        })
    }

    /// The statements that make a value conform.
    fn body(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        match &ty.shape {
            Shape::Struct(structure) => Fields {
                conform: self,
                name,
                ty,
                structure,
            }
            .body(),
            Shape::Union(members) => Ok(self.union_body(name, members)),
            Shape::Enum(_) => {
                let value = self
                    .overlay
                    .replacement(name)
                    .and_then(|nearest| nearest.value.as_ref());
                let replaced = value.map(|value| {
                    quote! {
                        if !self.exists_in(revision) {
                            *self = Self::from(#value);
                        }
                    }
                });
                Ok(replaced.unwrap_or_default())
            }
        }
    }

    fn union_body(&self, name: &str, members: &[MergedMember]) -> TokenStream {
        let variants = variants::of_union(self.merged, name, members);
        let nearest = self.overlay.replacement(name).map(|_| {
            let nearest = quote!(Self::from_text(self.describe()));
            let nearest = match variants::tag(self.merged, members) {
                Tag::BestMatch => {
                    let known = members.iter().map(|member| bits(&member.known));
                    quote!(fit::refit(self, &[#(#known),*], revision).unwrap_or_else(|| #nearest))
                }
                _ => nearest,
            };
            quote! {
                if !self.exists_in(revision) {
                    *self = #nearest;
                }
            }
        });
        let arms = members
            .iter()
            .zip(&variants)
            .filter_map(|(member, variant)| {
                let variant = ident(variant);
                let optional = self.optional_params(member);
                let fill = optional.and_then(|method| {
                    let required = &self.merged.methods.get(method)?.params_required;
                    condition(self.merged, required, &member.known).map(|condition| {
                        quote! {
                            if #condition {
                                value.get_or_insert_default();
                            }
                        }
                    })
                });
                let visit = match optional {
                    Some(_) => {
                        let visit = self.visit(&member.member.ty, &quote!(value), None)?;
                        quote!(if let Some(value) = value { #visit })
                    }
                    None => self.visit(&member.member.ty, &quote!(value), None)?,
                };
                Some((quote!(Self::#variant(value)), quote!(#fill #visit)))
            });
        let (patterns, bodies): (Vec<_>, Vec<_>) = arms.unzip();
        let arms = match (&patterns[..], &bodies[..]) {
            ([], _) => TokenStream::new(),
            ([pattern], [body]) => quote!(if let #pattern = self { #body }),
            _ => quote!(match self { #(#patterns => { #bodies })* _ => {} }),
        };
        quote!(#nearest #arms)
    }

    /// The method of a variant whose parameters may be absent.
    fn optional_params<'m>(&self, member: &'m MergedMember) -> Option<&'m str> {
        let name = member.member.method.as_deref()?;
        let method = self.merged.methods.get(name)?;
        (method.params_required != method.known).then_some(name)
    }

    fn enum_exists(&self, name: &str, ty: &MergedType, values: &MergedEnum) -> TokenStream {
        let known = values.values.iter().map(|(value, known)| {
            (
                variants::of_value(self.merged, name, value),
                known | &values.open,
            )
        });
        self.exists(name, ty, known, &values.open)
    }

    fn union_exists(&self, name: &str, ty: &MergedType, members: &[MergedMember]) -> TokenStream {
        let variants = variants::of_union(self.merged, name, members);
        let known = variants
            .into_iter()
            .zip(members.iter().map(|member| member.known.clone()));
        self.exists(name, ty, known, &Set::new())
    }

    /// `exists_in` of an enum or union.
    fn exists(
        &self,
        name: &str,
        ty: &MergedType,
        variants: impl Iterator<Item = (String, Set)>,
        unknown: &Set,
    ) -> TokenStream {
        let mut arms = Vec::new();
        for (variant, known) in variants.chain([("Unknown".to_owned(), unknown.clone())]) {
            let variant = ident(&variant);
            if let Some(condition) = condition(self.merged, &known, &ty.known) {
                arms.push(quote!(Self::#variant { .. } => #condition));
            }
        }
        let name = ident(name);
        let revision = revision_in(&quote!(#(#arms)*));
        let body = match (&arms[..], unknown.is_empty()) {
            ([], _) => quote!(true),
            ([_], true) => quote!(!matches!(self, Self::Unknown(_))),
            _ => quote!(match self { #(#arms,)* _ => true }),
        };
        quote! {
            impl #name {
                /// Whether a message of that revision can contain this value.
                #[must_use]
                pub fn exists_in(&self, #revision: Revision) -> bool {
                    #body
                }
            }
        }
    }
}
