//! `Conform`: each value made into what one revision allows.
//!
//! Fields that a revision does not know go, fields that it requires come, and
//! values that it cannot express become the nearest one that it can.

use super::conform::{Conform, revision_in};
use super::fields::Fields;
use super::nearest;
use super::span::{bits, condition};
use crate::codegen::emit::rust::ident;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedMember, MergedType, Shape};
use crate::codegen::merged::variants::{self, Tag};
use crate::codegen::overlay::file::Overlay;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// `Conform` of all types.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay) -> Result<TokenStream> {
    let mut conform = Conform {
        merged,
        overlay,
        active: BTreeSet::new(),
    };
    // A type matters if something in it can change, however deep.
    loop {
        let mut active = BTreeSet::new();
        for (name, ty) in &merged.types {
            if !conform.body(name, ty)?.is_empty() {
                active.insert(name.clone());
            }
        }
        if active == conform.active {
            break;
        }
        conform.active = active;
    }
    let types = merged.types.iter();
    let types = types.map(|(name, ty)| conform.implementation(name, ty));
    types.collect()
}

impl Conform<'_> {
    fn implementation(&self, name: &str, ty: &MergedType) -> Result<TokenStream> {
        let body = self.body(name, ty)?;
        let nearest = self.overlay.replacement(name);
        let mut support = match ty.shape {
            Shape::Struct(_) => TokenStream::new(),
            Shape::Union(_) | Shape::Enum(_) => self.exists(name, ty),
        };
        if let (Shape::Union(members), Some(nearest)) = (&ty.shape, nearest) {
            support.extend(nearest::of_union(self, name, ty, members, nearest)?);
        }
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
                let nearest = self.overlay.replacement(name);
                let value = nearest.and_then(|nearest| nearest.value.as_ref());
                let value = value.map(|value| replaced(quote!(Self::from(#value))));
                Ok(value.unwrap_or_default())
            }
        }
    }

    fn union_body(&self, name: &str, members: &[MergedMember]) -> TokenStream {
        let variants = variants::of(self.merged, name);
        let nearest = self.overlay.replacement(name).map(|_| {
            let nearest = quote!(Self::from_text(self.describe()));
            let nearest = match variants::tag(self.merged, members) {
                Tag::BestMatch => {
                    let known = members.iter().map(|member| bits(&member.known));
                    quote!(fit::refit(self, &[#(#known),*], revision).unwrap_or_else(|| #nearest))
                }
                _ => nearest,
            };
            replaced(nearest)
        });
        let arms = members.iter().zip(&variants);
        let arms = arms.filter_map(|(member, (_, variant, _))| {
            let variant = ident(variant);
            let visit = self.visit(&member.member.ty, &quote!(value), None)?;
            let body = match self.merged.optional_params(&member.member) {
                None => visit,
                Some(method) => {
                    let condition = condition(self.merged, &method.params_required, &member.known);
                    let fill = condition
                        .map(|condition| quote!(if #condition { value.get_or_insert_default(); }));
                    quote!(#fill if let Some(value) = value { #visit })
                }
            };
            Some((quote!(Self::#variant(value)), body))
        });
        let (patterns, bodies): (Vec<_>, Vec<_>) = arms.unzip();
        let arms = match (&patterns[..], &bodies[..]) {
            ([], _) => TokenStream::new(),
            ([pattern], [body]) => quote!(if let #pattern = self { #body }),
            _ => quote!(match self { #(#patterns => { #bodies })* _ => {} }),
        };
        quote!(#nearest #arms)
    }

    /// `exists_in` of an enum or union.
    fn exists(&self, name: &str, ty: &MergedType) -> TokenStream {
        let mut arms = Vec::new();
        let mut has_unknown = false;
        for (_, variant, known) in variants::expressible(self.merged, name) {
            let variant = ident(&variant);
            if let Some(condition) = condition(self.merged, &known, &ty.known) {
                arms.push(quote!(Self::#variant { .. } => #condition));
            }
            has_unknown = !known.is_empty();
        }
        let name = ident(name);
        let revision = revision_in(&quote!(#(#arms)*));
        let body = match (&arms[..], has_unknown) {
            ([], _) => quote!(true),
            ([_], false) => quote!(!matches!(self, Self::Unknown(_))),
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

/// Statements that replace a value that the revision does not have.
fn replaced(nearest: TokenStream) -> TokenStream {
    quote! {
        if !self.exists_in(revision) {
            *self = #nearest;
        }
    }
}
